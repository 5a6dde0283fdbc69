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
  std::optional<int> epoch;         ///< completed epochs
  std::optional<int> epochs;        ///< epochs of the run
  double share = 0;                 ///< completed share of the training, 0 to 1
  std::optional<double> elapsed_s;  ///< time of the last launch
  std::string reason;               ///< reason of its end; empty for success
  std::vector<std::string> nodes;   ///< host names
  std::string job_id;               ///< job id of the scheduler
};

/// Reads values missing in `look` from the files of the run, and only the ends of large files. Does
/// not read the files of a run that never started.
RunProgress read_progress(const contract::PlanDir& folder, const contract::PlannedRun& run,
                          const runner::PolledRun& look, double now_unix_s);

/// Returns true for completed runs for which read_progress() reads no files.
bool needs_no_files(const contract::PlannedRun& run, const runner::PolledRun& look);

/// Peak memory of the run's last launch, from its records.
struct RankMemory {
  double peak_bytes = 0;   ///< peak of the largest rank
  int ranks_per_node = 0;  ///< largest number of ranks on a host; 0: the records name no hosts
};
std::optional<RankMemory> rank_memory(const contract::PlanDir& folder, const std::string& run_id);

}  // namespace dlscale::workspace
