// SPDX-License-Identifier: Apache-2.0
// Writes a site file for the user to complete. Comments in the file list what a batch system cannot
// report.
#pragma once

#include <string>

#include "planner/site/site.hpp"

namespace dlscale::planner {

/// Returns TOML that read_site can read. The text holds what the batch system reports: the name,
/// the launcher, limits, and for each partition its name, nodes, GPUs and limits.
std::string site_text(const Site& site);

}  // namespace dlscale::planner
