// SPDX-License-Identifier: Apache-2.0
// Times and efficiency of a training over numbers of GPUs that nobody has tried, with bands.
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
  /// Of the time of collectives the most that is hidden there; empty: as the setting has it.
  std::function<double(Placement)> hidden_most;
  int gpus_per_node = 1;
  StepSetting setting;      ///< its wait is set by that below
  Seconds wait_per_sample;  ///< of a rank, as measured
  MissingTerms missing;     ///< what the model leaves out; by default nothing
};

/// What a rank takes of a step: so many batches, one after the other, of so many samples.
struct Share {
  double batch = 1;
  int passes = 1;
};

/// What stays the same as GPUs are added.
struct CurveSetting {
  bool strong = false;       ///< the global batch; else the batch of a GPU
  double batch_per_gpu = 1;  ///< at the first of the counts, where `shares` says nothing
  std::int64_t samples = 0;  ///< of an epoch
  bool drops_last = false;   ///< samples that fill no step are left out; else they are a step more
  int epochs = 1;
  std::map<int, Share> shares;  ///< by GPUs: where a study says them; the others as share_at()
};

/// Of a rank at that count: of the nearest count that is no larger, else of the first; in strong
/// scaling its batch divided as the ranks become more. `shares`: not empty.
Share share_at(const std::map<int, Share>& shares, bool strong, int gpus);

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

/// Samples in a second, by the band of the step.
Band throughput(const CurvePoint& point);

/// Returns a point for each count, ascending. Strong scaling ends where a GPU would have less than
/// one sample. Bands add in quadrature what computation, links, waiting and the missing terms may
/// be wrong by, each alone.
std::vector<CurvePoint> scaling_curve(const TrainingModel& model, const CurveSetting& setting,
                                      const std::vector<int>& gpus);

/// Returns the band of one point's step.
Band step_band(const TrainingModel& model, Placement ranks, const Share& share);

/// One point of it, with what computing and all-reduces take multiplied.
StepTime step_at(const TrainingModel& model, Placement ranks, double batch, double computing = 1,
                 double reducing = 1);

/// first, first x 2, … up to `most`, which is the last.
std::vector<int> doubled_counts(int first, int most);

inline constexpr double kWorthwhileEfficiency = 0.8;

/// The last count up to which every point has at least that efficiency, by its value or by an edge
/// of its band; of an empty curve 0.
int knee(const std::vector<CurvePoint>& curve, double efficiency = kWorthwhileEfficiency,
         double Band::*edge = &Band::value);

}  // namespace dlscale::predict
