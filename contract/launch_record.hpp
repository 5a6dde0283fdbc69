// SPDX-License-Identifier: Apache-2.0
// What happened to a job: lines of `launch.jsonl` (written by the runner) and of `logs/<job>.end`
// (written by the job script).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::contract {

struct LaunchRecord {
  std::string event;                  ///< submitted, started, ended
  std::string job;                    ///< the plan's job name
  std::string run_id;                 ///< empty when it concerns the whole job
  std::string job_id;                 ///< the batch system's
  double time = 0;                    ///< seconds since 1970 UTC
  std::optional<RunOutcome> outcome;  ///< ended only
  int exit_code = 0;                  ///< ended only
  std::string reason;                 ///< one line for people
  bool operator==(const LaunchRecord&) const = default;
};

std::string to_json_line(const LaunchRecord& record);

/// Reads a whole log; lines that are no launch record (a killed writer's last one) are left out.
std::vector<LaunchRecord> parse_launch_log(std::string_view text);

}  // namespace dlscale::contract
