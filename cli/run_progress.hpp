// SPDX-License-Identifier: Apache-2.0
// How far a run is and what it takes: epochs, time, nodes, why it ended.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "contract/plan.hpp"
#include "contract/run_dir.hpp"
#include "contract/run_table.hpp"
#include "runner/look.hpp"

namespace dlscale::cli {

struct RunProgress {
  std::optional<int> epoch;         ///< how many are trained to their end
  std::optional<int> epochs;        ///< of the run
  double share = 0;                 ///< of the training that is done, 0 to 1
  std::optional<double> elapsed_s;  ///< of the last launch
  std::string reason;               ///< of its end; empty when all went well
  std::vector<std::string> nodes;   ///< host names
  std::string job_id;               ///< the batch system's
};

/// Reads as little as it can: the ends of large files, descriptions of runs once.
class ProgressReader {
 public:
  /// Both must outlive it.
  ProgressReader(const contract::Plan& plan, const contract::PlanDir& folder);

  /// What `look` does not say is taken from the run's own files. Those of a run that never started
  /// are not looked at.
  RunProgress read(const contract::PlannedRun& run, const runner::RunLook& look, double now_unix_s);
  /// Of the largest rank of its last launch, by its records.
  std::optional<double> peak_memory_bytes(const contract::PlannedRun& run) const;

 private:
  std::optional<int> epochs_of(const contract::PlannedRun& run);

  const contract::PlanDir& folder_;
  contract::RunTables tables_;
  std::unordered_map<std::string, std::optional<int>> epochs_;  // by point: repetitions are alike
};

}  // namespace dlscale::cli
