// SPDX-License-Identifier: Apache-2.0
// What finished runs of a plan folder say of the times of its next ones.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "planner/site/wishes.hpp"
#include "predict/band.hpp"

namespace dlscale::planner {

/// A run of the folder that has begun.
struct FinishedRun {
  std::map<std::string, std::string> point;  ///< axis values
  int gpus = 1;
  double predicted_s = 0;  ///< by the plan that it was started with; 0: it had no prediction
  /// Of its job, or of its own records, where it was trained to its end in one launch; else 0.
  double elapsed_s = 0;
  std::string run_id;
  double predicted_low_s = 0;  ///< edges of the band of predicted_s
  double predicted_high_s = 0;
};

class FinishedRuns {
 public:
  explicit FinishedRuns(std::vector<FinishedRun> runs);

  /// The time of a run of the same point, whatever its schedule and learning rate: the slowest of
  /// them; on other GPU counts than theirs as throughput_at() has it, in a band that holds what
  /// `spread` says of the distance. Empty where no such run has finished.
  std::optional<predict::Band> run_s(const contract::RunSpec& run,
                                     const predict::PublishedSpread& spread) const;

  /// What was predicted of a run that has begun: no later prediction takes its place, for that
  /// would know how long it took. Empty of one that has not.
  std::optional<predict::Band> predicted_s(const std::string& run_id) const;

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
  std::map<std::string, predict::Band> begun_;  ///< by run id: what was predicted of it
};

/// Whether two descriptions say the same but for the time limit, which is no part of what a run
/// measures: one that has begun keeps its own.
bool same_but_walltime(const contract::RunSpec& kept, contract::RunSpec planned);

}  // namespace dlscale::planner
