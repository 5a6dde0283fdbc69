// SPDX-License-Identifier: Apache-2.0
// Derives run times and time limits from the finished runs of a plan folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "planner/site/job_settings.hpp"
#include "predict/band.hpp"

namespace dlscale::planner {

/// Run of a plan folder that has started.
struct FinishedRun {
  std::map<std::string, std::string> point;  ///< axis values
  int gpus = 1;
  double predicted_s = 0;  ///< prediction of the plan that started the run; 0: no prediction
  /// Elapsed time in seconds, from the job or from the records of the run. The value is 0 unless
  /// the run completed its training in a single launch.
  double elapsed_s = 0;
  std::string run_id;
  double predicted_low_s = 0;  ///< lower and upper edge of the band of predicted_s
  double predicted_high_s = 0;
};

class FinishedRuns {
 public:
  explicit FinishedRuns(std::vector<FinishedRun> runs);

  /// Returns the time of a run, derived from finished runs of the same point. Runs that differ only
  /// in learning rate or learning-rate schedule count as the same point. If several runs have
  /// finished, the slowest one is used. For other GPU counts, the time follows from
  /// predict::throughput_at(). `spread` widens the band, and a larger difference between the GPU
  /// counts gives a wider band. Returns nothing if no run of the point has finished.
  std::optional<predict::Band> run_s(const contract::RunSpec& run,
                                     const predict::PublishedSpread& spread) const;

  /// Returns the recorded prediction of a run that has started, or nothing for other runs. A
  /// recorded prediction must stay, because a new prediction could use the measured time of the
  /// same run.
  std::optional<predict::Band> predicted_s(const std::string& run_id) const;

  /// Returns the factor between predicted times and time limits, for runs with walltime "auto". The
  /// factor follows from the errors of the predictions of finished runs, see
  /// predict::request_walltime. Returns the margin of `requested` if no finished run had a
  /// prediction.
  double margin(const ResourceSettings& requested) const;
  /// Returns a message with the factor of margin() and the number of finished runs that determine
  /// the factor. Returns an empty text if no finished run had a prediction.
  std::string note(const ResourceSettings& requested) const;

 private:
  struct Times {
    std::vector<std::pair<int, double>> of_gpus;  ///< GPU counts with run times in seconds
  };
  std::map<std::string, Times> by_point_;       ///< times by the key of the point, see key_of()
  std::vector<double> ratios_;                  ///< elapsed / predicted time of each finished run
  std::map<std::string, predict::Band> begun_;  ///< recorded prediction by run id
};

/// Returns whether two descriptions are equal or differ only in the time limit. The time limit does
/// not affect what a run measures, so a run that has started keeps its limit.
bool same_but_walltime(const contract::RunSpec& kept, contract::RunSpec planned);

}  // namespace dlscale::planner
