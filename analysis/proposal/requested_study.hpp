// SPDX-License-Identifier: Apache-2.0
// Describes the study for which computing time is requested: its runs with their predicted times
// and memory. forecast/ fills these structures, because analysis/ neither plans nor predicts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "contract/records/run_prediction.hpp"

namespace dlscale::analysis {

/// Run for which computing time is requested.
struct RequestedRun {
  std::map<std::string, std::string> point;  ///< value on each axis, by axis name
  int gpus = 1;
  int nodes = 1;
  int charged_gpus = 1;                   ///< GPUs that the site charges for the run
  int cores = 1;                          ///< cores that the site charges for the run
  contract::PredictedValue time_s;        ///< time of the training steps; 0: not predicted
  contract::PredictedValue memory_bytes;  ///< memory of a GPU or rank; 0: not predicted
  /// Length of the run in optimizer steps, or in epochs if `steps` is 0.
  std::int64_t steps = 0;
  int epochs = 0;  ///< 0: unknown, or the length is given in steps
};

/// Reason why runs have no predicted time.
struct UntimedReason {
  enum class Cause {
    other,
    no_length,   ///< the study does not set the length of the runs
    no_samples,  ///< the number of samples in an epoch is unknown
  };
  Cause cause = Cause::other;
  std::string text;  ///< text without a period at its end; empty: no reason is known
};

/// Study for which computing time is requested, on the site on which it will run.
struct RequestedStudy {
  std::string study;
  std::string site;
  std::string scaling;
  std::string worker;             ///< word for one worker: "GPU" or "rank"
  bool is_external = false;       ///< true if a training script of the user does the training
  std::vector<std::string> axes;  ///< names of the axes, in the order of the study
  std::vector<RequestedRun> runs;
  bool has_packed_jobs = false;  ///< true if jobs contain several runs
  std::string basis;             ///< data on which the predictions are based; empty: none
  UntimedReason why_unpredicted;
  std::vector<std::string> notes;  ///< notes of the planner on the accuracy of predictions
  std::size_t skipped_points = 0;  ///< number of points that the planner left out
};

}  // namespace dlscale::analysis
