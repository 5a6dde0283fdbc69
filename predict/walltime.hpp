// SPDX-License-Identifier: Apache-2.0
// Estimates the time of a run from measured throughput, and the time limit to request for the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "predict/band.hpp"

namespace dlscale::predict {

/// Samples trained per second on all GPUs together.
struct Throughput {
  int gpus = 1;
  double samples_per_s = 0;
};

/// Throughput at a GPU count, measured or estimated.
struct ThroughputEstimate {
  double samples_per_s = 0;
  bool extrapolated = false;  ///< flag: the GPU count is outside the measured counts
  /// Measured GPU count from which the throughput was extrapolated. If the throughput was not
  /// extrapolated, this is the GPU count itself.
  int from_gpus = 0;
};

/// Returns the throughput at a GPU count. Between two measured counts the logarithm of the
/// throughput is linear in the logarithm of the count. Outside the measured counts the throughput
/// is proportional to the GPU count, starting from the nearest measurement. If one count was
/// measured several times, the slowest measurement is used. Returns nothing without measurements.
std::optional<ThroughputEstimate> throughput_at(std::vector<Throughput> measured, int gpus);

/// Returns the number of training samples of a kind of data set with a fixed size: MNIST,
/// Fashion-MNIST, CIFAR-10, AG News (with its training file), SST-2, TREC, Multi30k and data sets
/// that dlscale generates. Returns nothing for other data sets.
std::optional<std::int64_t> known_train_samples(std::string_view dataset_kind);

/// Returns the number of samples in an epoch of a run. Returns nothing if the description of the
/// data set does not determine the number, as in these cases:
/// - The run uses only the first classes of the data set, and the number of their samples is not
///   known.
/// - AG News is divided into folds. The number of samples in a fold is not known, because the
///   training file may be missing.
std::optional<std::int64_t> train_samples(const contract::DatasetSpec& dataset);

inline constexpr double kDefaultMargin = 1.5;
/// Seconds that the time limit allows for the time before the first step. In this time the run
/// loads modules and libraries and opens its data.
inline constexpr double kStartUp_s = 120;

/// Returns the time limit to request in seconds. The limit is the larger of prediction x margin and
/// `longest_s`, plus kStartUp_s, rounded up to whole minutes. `longest_s` is the upper edge of the
/// band of the prediction.
double walltime_s(double predicted_s, double margin, double longest_s = 0);

/// Returns the band of a measured run time. Repetitions of a run take different times. The band is
/// therefore as wide as the band of a measured step.
Band measured_time(double seconds);

// The following functions compute the time limit to request if the errors of earlier predictions
// are known.

/// Returns an upper bound for the next ratio of real to predicted run time. The next ratio does not
/// exceed the bound with probability `quantile`, for any distribution of the ratios. The bound is
/// the ⌈(n+1) quantile⌉-th of the n sorted ratios (Vovk, Gammerman, Shafer: Algorithmic Learning in
/// a Random World, 2005). Returns nothing if there are too few ratios for `quantile`. A quantile of
/// 95 % needs at least 19 ratios.
std::optional<double> next_ratio_bound(std::vector<double> ratios, double quantile);

/// Time limit to request for a run.
struct WalltimeRequest {
  double seconds = 0;   ///< time limit in seconds, a multiple of 60
  double factor = 1;    ///< factor on the predicted time
  bool learnt = false;  ///< flag: the factor comes from finished runs, not from the margin
};

inline constexpr double kWalltimeQuantile = 0.98;

/// Returns the time limit prediction x factor + start-up, rounded up to whole minutes. `ratios` are
/// the ratios of real to predicted time of finished runs, and the factor is next_ratio_bound() of
/// them. With too few finished runs the factor is the larger of `margin` and the largest ratio.
WalltimeRequest request_walltime(double predicted_s, const std::vector<double>& ratios,
                                 double margin, double quantile = kWalltimeQuantile);

}  // namespace dlscale::predict
