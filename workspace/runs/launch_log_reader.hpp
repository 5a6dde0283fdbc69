// SPDX-License-Identifier: Apache-2.0
// Reads what an external run has written so far, through the log format of its study.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::workspace {

/// Returns the file of the launch that the log format of `run` reads. Without a log format, returns
/// results.jsonl. Throws base::UsageError for a format that neither dlscale nor the study has.
std::filesystem::path log_file(const contract::LaunchDir& launch, const contract::PlannedRun& run,
                               const contract::PlanDir& folder);

/// Returns the records in the log of a launch. Of a large log, only the beginning and the end are
/// read, so the records in between are missing. Returns no records if the log does not exist, and
/// for runs without a third-party format.
std::vector<contract::ResultRecord> read_launch_log(const contract::LaunchDir& launch,
                                                    const contract::PlannedRun& run,
                                                    const contract::PlanDir& folder);

/// Returns whether the file that the run's format reads contains a step window, an epoch, an
/// evaluation or an inference.
bool has_measurements(const contract::LaunchDir& launch, const contract::PlannedRun& run,
                      const contract::PlanDir& folder);

}  // namespace dlscale::workspace
