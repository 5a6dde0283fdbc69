// SPDX-License-Identifier: Apache-2.0
// Writes a site file that the user completes. Comments in the file list what the batch system does
// not report.
#pragma once

#include <string>

#include "planner/site/site.hpp"

namespace dlscale::planner {

/// Returns the text of a site file, which read_site() can read. The text contains what the batch
/// system reports: the name, the launcher, limits, and for each partition its name, nodes, GPUs and
/// limits.
std::string site_text(const Site& site);

}  // namespace dlscale::planner
