// SPDX-License-Identifier: Apache-2.0
// Writes a site file for people to complete: comments say what a batch system cannot tell.
#pragma once

#include <string>

#include "planner/site/site.hpp"

namespace dlscale::planner {

/// TOML that read_site reads back. It holds what is learned by asking a batch system: the name, how
/// programs are started, limits, and of each partition its name, nodes, GPUs and limits.
std::string site_text(const Site& site);

}  // namespace dlscale::planner
