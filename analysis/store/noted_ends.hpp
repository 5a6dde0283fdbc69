// SPDX-License-Identifier: Apache-2.0
// What the runner and the job scripts noted of the ends of runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/store/launch_outcome.hpp"
#include "analysis/store/seen_files.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

using NotedEnds = std::map<std::string, std::vector<EndRecord>>;  ///< by run id

/// Reads launch.jsonl and logs/*.end of a plan folder. One that cannot be read, or is no file, is
/// added to `problems` ("path: why"), tried again by the next collect, and says nothing.
NotedEnds read_ends(const contract::Plan& plan, const contract::PlanDir& folder, SeenFiles& seen,
                    std::vector<std::string>& problems);

}  // namespace dlscale::analysis
