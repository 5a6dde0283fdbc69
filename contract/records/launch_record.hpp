// SPDX-License-Identifier: Apache-2.0
// What happened to a job: lines of `launch.jsonl` (written by the runner) and of
// `logs/<run_id>.end` (written by the job script).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::contract {

struct LaunchRecord {
  /// submitting: about to be handed over, which may or may not happen; refused: it did not happen;
  /// submitted: the batch system has it; started; requeued: it waits again, under `job_id`; ended.
  /// In logs/cancel.jsonl: cancelling, the end of `run_id` is wished for.
  std::string event;
  std::string job;                    ///< the plan's job name
  std::string launch;                 ///< token of the submission; in the batch system's hands, too
  std::string run_id;                 ///< empty when it concerns the whole job
  std::string job_id;                 ///< the batch system's
  std::vector<std::string> runs;      ///< submitting: those to run, an array's tasks in order;
                                      ///< started, requeued: those concerned
  std::vector<int> launches;          ///< submitting: number of each run's last one; empty: none
  std::vector<std::string> task_ids;  ///< submitted: the batch system's, of an array's tasks
  std::vector<std::string> nodes;     ///< started, ended: host names
  double time = 0;                    ///< seconds since 1970 UTC
  std::optional<RunOutcome> outcome;  ///< ended only
  int exit_code = 0;                  ///< ended only
  double elapsed_s = 0;               ///< ended only: by the batch system's books; 0 = not known
  double peak_memory_bytes = 0;       ///< likewise
  std::int64_t stderr_bytes = 0;      ///< notes of scripts: size of the run's error file then
  std::string reason;                 ///< one line for people
  bool operator==(const LaunchRecord&) const = default;
};

std::string to_json_line(const LaunchRecord& record);

/// Reads a whole log; lines that are no launch record (a killed writer's last one) are left out.
std::vector<LaunchRecord> parse_launch_log(std::string_view text);
/// The same one after the other, for logs that are only passed through.
void parse_launch_log(std::string_view text, const std::function<void(LaunchRecord&&)>& take);

}  // namespace dlscale::contract
