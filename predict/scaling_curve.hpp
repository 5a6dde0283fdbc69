// SPDX-License-Identifier: Apache-2.0
// Times and efficiency of a training over numbers of GPUs that nobody has tried, with bands.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contract/calibration.hpp"
#include "predict/all_reduce.hpp"
#include "predict/compute_fit.hpp"
#include "predict/step_time.hpp"

namespace dlscale::predict {

/// Time of an all-reduce, and the factors that it is likely to lie between.
struct LinkEstimate {
  Seconds time;
  Factors sure;
};

/// A training on one kind of device and network.
struct TrainingModel {
  const contract::ModelCard& card;
  ComputeBasis computing;
  std::function<LinkEstimate(Placement, Bytes)> all_reduce;
  int gpus_per_node = 1;
  StepSetting setting;      ///< its load and wait are set by those below
  Seconds load_per_sample;  ///< of a rank's loader threads
  Seconds wait_per_sample;  ///< of a rank, as measured
};

/// What stays the same as GPUs are added.
struct CurveSetting {
  bool strong = false;       ///< the global batch; else the batch of a GPU
  double batch_per_gpu = 1;  ///< at the first of the counts
  std::int64_t samples = 0;  ///< of an epoch
  int epochs = 1;
};

struct Band {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct CurvePoint {
  Placement ranks;
  double batch_per_gpu = 0;
  StepTime step;
  Band step_s;
  Band epoch_s;
  Band efficiency;  ///< against the first point: its cost of a sample / this one's
  double samples_per_s = 0;
  double gpu_hours = 0;       ///< of all epochs
  bool extrapolated = false;  ///< the batch is far from those measured
};

/// A point for each count, ascending; strong scaling ends where a GPU would have less than one
/// sample. Bands: what computation and links may be wrong by, each alone, added in quadrature.
std::vector<CurvePoint> scaling_curve(const TrainingModel& model, const CurveSetting& setting,
                                      const std::vector<int>& gpus);

/// One point of it, with what computing and all-reduces take multiplied.
StepTime step_at(const TrainingModel& model, Placement ranks, double batch, double computing = 1,
                 double reducing = 1);

/// first, first x 2, … up to `most`, which is the last.
std::vector<int> doubled_counts(int first, int most);

inline constexpr double kWorthwhileEfficiency = 0.8;

/// The last count up to which every point has at least that efficiency; of an empty curve 0.
int knee(const std::vector<CurvePoint>& curve, double efficiency = kWorthwhileEfficiency);

}  // namespace dlscale::predict
