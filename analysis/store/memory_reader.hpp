// SPDX-License-Identifier: Apache-2.0
// The most memory that ranks of a folder's runs held, by its database.
#pragma once

#include <map>
#include <string>

#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Bytes of the largest rank by run, of the launch that gave its result: on CPUs a process'
/// resident memory, on GPUs what the allocator had reserved. Runs whose records do not say it are
/// not there. Throws base::RunError where the database cannot be used.
std::map<std::string, double> read_peak_memory(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
