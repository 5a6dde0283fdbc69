// SPDX-License-Identifier: Apache-2.0
// Reads the progress of a run: epochs, time, nodes, and the reason of its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/status/poll.hpp"

namespace dlscale::workspace {

struct RunProgress {
  std::optional<int> epoch;         ///< number of completed epochs
  std::optional<int> epochs;        ///< number of epochs of the whole run
  double share = 0;                 ///< completed share of the training, 0 to 1
  std::optional<double> elapsed_s;  ///< elapsed time of the last launch in seconds
  std::string reason;               ///< reason why the run ended; empty after success
  std::vector<std::string> nodes;   ///< host names
  std::string job_id;               ///< job id of the scheduler
};

/// Returns the progress of a run. `look` is the result of the last poll. Values that are missing in
/// `look` are read from the files of the run. Only the ends of large files are read. No files are
/// read for a run that never started.
RunProgress read_progress(const contract::PlanDir& folder, const contract::PlannedRun& run,
                          const runner::PolledRun& look, double now_unix_s);

/// Returns true for a completed run if `look`, the last poll, has all values. read_progress() then
/// reads no files.
bool needs_no_files(const contract::PlannedRun& run, const runner::PolledRun& look);

/// Peak memory of the run's last launch, from its records.
struct RankMemory {
  double peak_bytes = 0;   ///< peak of the rank with the highest peak, in bytes
  int ranks_per_node = 0;  ///< largest number of ranks on a host; 0 = hosts are unknown
};
std::optional<RankMemory> rank_memory(const contract::PlanDir& folder, const std::string& run_id);

}  // namespace dlscale::workspace
