// SPDX-License-Identifier: Apache-2.0
// What finished runs of a plan folder say of the times of its next ones.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/run_spec.hpp"
#include "planner/site/wishes.hpp"

namespace dlscale::planner {

/// A run that was trained to its end in one launch.
struct FinishedRun {
  std::map<std::string, std::string> point;  ///< axis values
  int gpus = 1;
  double predicted_s = 0;  ///< by the plan that it was started with; 0: it had no prediction
  double elapsed_s = 0;    ///< of its job, or of its own records
};

class FinishedRuns {
 public:
  explicit FinishedRuns(std::vector<FinishedRun> runs);

  /// The time of a run of the same point, whatever its schedule and learning rate: the slowest of
  /// them; on other GPU counts than theirs as throughput_at() has it. Empty where no such run has
  /// finished.
  std::optional<double> run_s(const contract::RunSpec& run) const;

  /// What predictions are multiplied with, for wishes whose walltime is "auto": by how wrong the
  /// finished runs' were, see predict::request_walltime. Without finished runs that were predicted
  /// the wishes' own margin.
  double margin(const ResourceWishes& wishes) const;
  /// That it learnt, and from how many; empty where it did not.
  std::string note(const ResourceWishes& wishes) const;

 private:
  struct Times {
    std::vector<std::pair<int, double>> of_gpus;  ///< GPUs, seconds
  };
  std::map<std::string, Times> by_point_;  ///< by the point without what time does not depend on
  std::vector<double> ratios_;             ///< elapsed / predicted
};

}  // namespace dlscale::planner
