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
  /// Function that returns, for a placement, the largest share of the time of collectives that
  /// computation hides. If the function is empty, `setting.hidden_most` applies.
  std::function<double(Placement)> hidden_most;
  int gpus_per_node = 1;
  StepSetting setting;      ///< settings of a step, except `wait`, which depends on the samples
  Seconds wait_per_sample;  ///< measured waiting time of a rank per sample
  MissingTerms missing;     ///< costs that the model leaves out; by default none
};

/// Work of a rank in a step: `passes` batches of `batch` samples, one after another.
struct Share {
  double batch = 1;
  int passes = 1;
  /// Number of samples of all ranks in a step, if some ranks have less than `batch` samples in a
  /// pass. 0 means batch x passes x ranks.
  double global_batch = 0;
};

/// Settings of a scaling curve that are the same for all GPU counts.
struct CurveSetting {
  /// Flag: the global batch stays constant (strong scaling); otherwise the batch per GPU stays
  /// constant.
  bool strong = false;
  double batch_per_gpu = 1;  ///< batch per GPU at the first GPU count, used if `shares` is empty
  std::int64_t samples = 0;  ///< number of samples of an epoch
  bool drops_last = false;   ///< flag: an incomplete last step of an epoch is dropped
  int epochs = 1;
  std::int64_t steps = 0;  ///< number of steps of a run; 0: `epochs` gives the length
  /// Work of a rank by GPU count, as in the study. share_at() derives the work at other counts.
  std::map<int, Share> shares;
};

/// Returns the placements whose all-reduce times must be known to predict the exchange of a step on
/// `ranks`. With Agreement::central, these are pairs of ranks on one node or on two nodes. Returns
/// an empty list for a step that exchanges nothing.
std::vector<Placement> exchange_placements(const StepSetting& setting, Placement ranks);

/// Returns the work of a rank in a step on `gpus` GPUs. Starts from the largest count in `shares`
/// that is at most `gpus`, or from the first count if all counts are larger. In strong scaling, the
/// batch of that count is then scaled in inverse proportion to the GPU count. `shares` must not be
/// empty.
Share share_at(const std::map<int, Share>& shares, bool strong, int gpus);

/// Prediction for one GPU count.
struct CurvePoint {
  Placement ranks;
  double batch_per_gpu = 0;
  StepTime step;
  Band step_s;
  Band epoch_s;
  Band efficiency;  ///< GPU time per sample at the first point / GPU time per sample here
  double samples_per_s = 0;
  Band run_s;                 ///< training time of a whole run
  double gpu_hours = 0;       ///< GPU-hours of a whole run
  bool extrapolated = false;  ///< flag: the batch is far from the measured batches
};

/// Returns the samples per second, with a band that follows from the band of the step time.
Band throughput(const CurvePoint& point);

/// Returns a point for each GPU count, in ascending order. Strong scaling ends where a GPU would
/// have less than one sample. Bands contain the uncertainties of computation, links, waiting and
/// the costs that the model leaves out. The effect of each uncertainty is computed alone, and the
/// effects are added in quadrature.
std::vector<CurvePoint> scaling_curve(const TrainingModel& model, const CurveSetting& setting,
                                      const std::vector<int>& gpus);

/// Returns the band of the step time at one point.
Band step_band(const TrainingModel& model, Placement ranks, const Share& share);

/// Returns the time of a step on the placement `ranks`. `computing` multiplies the time of
/// computation and `reducing` multiplies the time of all-reduces.
StepTime step_at(const TrainingModel& model, Placement ranks, double batch, double computing = 1,
                 double reducing = 1);

/// Returns `first` and its doubled values (`first` x 2, `first` x 4, …) below `most`, followed by
/// `most`.
std::vector<int> doubled_counts(int first, int most);

inline constexpr double kWorthwhileEfficiency = 0.8;

/// Returns the last GPU count up to which every point has at least the given efficiency. `edge`
/// selects the number that is compared with the given efficiency: the predicted efficiency or an
/// edge of its band. Returns 0 if the first point has a lower efficiency or the curve is empty.
int knee(const std::vector<CurvePoint>& curve, double efficiency = kWorthwhileEfficiency,
         double Band::*edge = &Band::value);

}  // namespace dlscale::predict
