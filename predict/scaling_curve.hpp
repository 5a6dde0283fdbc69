// SPDX-License-Identifier: Apache-2.0
// Predicts times and efficiency of a training run over GPU counts that were not measured, with
// bands.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/all_reduce.hpp"
#include "predict/band.hpp"
#include "predict/compute_fit.hpp"
#include "predict/step_time.hpp"

namespace dlscale::predict {

/// Time of an all-reduce, with the factors of its likely range.
struct LinkEstimate {
  Seconds time;
  Factors sure;
};

/// Model of a training run on one kind of device and network.
struct TrainingModel {
  const contract::ModelCard& card;
  ComputeBasis computing;
  std::function<LinkEstimate(Placement, Bytes)> all_reduce;
  /// Function that returns the largest share of the time of collectives that computation hides in a
  /// placement. If empty, `setting.hidden_most` applies.
  std::function<double(Placement)> hidden_most;
  int gpus_per_node = 1;
  StepSetting setting;      ///< settings of a step, except `wait`, which depends on the samples
  Seconds wait_per_sample;  ///< measured waiting time of a rank per sample
  MissingTerms missing;     ///< costs that the model leaves out; by default none
};

/// Share of a rank in a step: `passes` batches of `batch` samples, one after another.
struct Share {
  double batch = 1;
  int passes = 1;
};

/// Settings of a curve that stay the same as GPUs are added.
struct CurveSetting {
  bool strong = false;       ///< flag: the global batch is constant, else the batch of a GPU
  double batch_per_gpu = 1;  ///< batch of a GPU at the first count if `shares` is empty
  std::int64_t samples = 0;  ///< number of samples of an epoch
  bool drops_last = false;   ///< flag: an incomplete last step is dropped, else it is a step
  int epochs = 1;
  std::map<int, Share> shares;  ///< shares by GPU count, as in the study; others by share_at()
};

/// Returns the share of a rank at a GPU count. Uses the nearest count in `shares` that is not
/// larger, or else the first count. In strong scaling the batch shrinks in proportion as the GPU
/// count grows. `shares` must not be empty.
Share share_at(const std::map<int, Share>& shares, bool strong, int gpus);

/// Prediction for one GPU count.
struct CurvePoint {
  Placement ranks;
  double batch_per_gpu = 0;
  StepTime step;
  Band step_s;
  Band epoch_s;
  Band efficiency;  ///< cost of a sample at the first point / cost at this point
  double samples_per_s = 0;
  double gpu_hours = 0;       ///< GPU-hours of all epochs
  bool extrapolated = false;  ///< flag: the batch is far from the measured batches
};

/// Returns the samples per second, with the band of the step time.
Band throughput(const CurvePoint& point);

/// Returns a point for each GPU count, in ascending order. Strong scaling ends where a GPU would
/// have less than one sample. Bands add the uncertainties of computation, links, waiting and the
/// costs that the model leaves out. Each uncertainty is computed alone, and the results are added
/// in quadrature.
std::vector<CurvePoint> scaling_curve(const TrainingModel& model, const CurveSetting& setting,
                                      const std::vector<int>& gpus);

/// Returns the band of the step time at one point.
Band step_band(const TrainingModel& model, Placement ranks, const Share& share);

/// Returns the step at one point. `computing` multiplies the time of computation and `reducing`
/// multiplies the time of all-reduces.
StepTime step_at(const TrainingModel& model, Placement ranks, double batch, double computing = 1,
                 double reducing = 1);

/// Returns the counts first, first x 2, … up to `most`, which is the last count.
std::vector<int> doubled_counts(int first, int most);

inline constexpr double kWorthwhileEfficiency = 0.8;

/// Returns the last GPU count up to which every point has at least the given efficiency. `edge`
/// selects the value or an edge of the band of the efficiency. Returns 0 for an empty curve.
int knee(const std::vector<CurvePoint>& curve, double efficiency = kWorthwhileEfficiency,
         double Band::*edge = &Band::value);

}  // namespace dlscale::predict
