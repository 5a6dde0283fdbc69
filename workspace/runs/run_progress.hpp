// SPDX-License-Identifier: Apache-2.0
// How far a run is and what it takes: epochs, time, nodes, why it ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/status/look.hpp"

namespace dlscale::workspace {

struct RunProgress {
  std::optional<int> epoch;         ///< how many are trained to their end
  std::optional<int> epochs;        ///< of the run
  double share = 0;                 ///< of the training that is done, 0 to 1
  std::optional<double> elapsed_s;  ///< of the last launch
  std::string reason;               ///< of its end; empty when all went well
  std::vector<std::string> nodes;   ///< host names
  std::string job_id;               ///< the batch system's
};

/// What `look` does not say is taken from the run's own files: of large ones the ends. Those of a
/// run that never started are not looked at.
RunProgress read_progress(const contract::PlanDir& folder, const contract::PlannedRun& run,
                          const runner::RunLook& look, double now_unix_s);

/// True of runs that are done where read_progress() takes nothing from files.
bool needs_no_files(const contract::PlannedRun& run, const runner::RunLook& look);

/// Memory of the run's last launch, by its records.
struct RankMemory {
  double peak_bytes = 0;   ///< of the largest rank
  int ranks_per_node = 0;  ///< on the host that had most; 0: the records name no hosts
};
std::optional<RankMemory> rank_memory(const contract::PlanDir& folder, const std::string& run_id);

}  // namespace dlscale::workspace
