// SPDX-License-Identifier: Apache-2.0
// How long a run takes, from measured throughput, and what time limit to ask for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "predict/band.hpp"

namespace dlscale::predict {

/// Samples trained per second, all GPUs together.
struct Throughput {
  int gpus = 1;
  double samples_per_s = 0;
};

struct ThroughputEstimate {
  double samples_per_s = 0;
  bool extrapolated = false;  ///< outside the measured GPU counts
  int from_gpus = 0;          ///< the measured count that it is extrapolated from; else its own
};

/// Throughput at a GPU count. Between two measured counts the logarithm is linear in that of the
/// count, outside of them throughput is linear in GPUs from the nearest measurement. Of several
/// measurements of one count the slowest holds. Nothing measured: no estimate.
std::optional<ThroughputEstimate> throughput_at(std::vector<Throughput> measured, int gpus);

/// Samples that a data set of fixed size has to train on, if it is one: MNIST, Fashion-MNIST,
/// CIFAR-10, AG News with its training file, SST-2, TREC, Multi30k and what dlscale generates.
std::optional<std::int64_t> known_train_samples(std::string_view dataset_kind);

/// Samples in an epoch of a run, where that follows from what it takes of a data set. Unknown: how
/// many are of its first classes, and of folds of AG News, which may lack the training file.
std::optional<std::int64_t> train_samples(const contract::DatasetSpec& dataset);

inline constexpr double kDefaultMargin = 1.5;
/// Allowance for what comes before the first step: modules, libraries, opening the data.
inline constexpr double kStartUp_s = 120;

/// Returns the time to ask for: the larger of prediction x margin and `longest_s`, the upper edge
/// of the prediction's band, plus start-up, rounded up to whole minutes.
double walltime_s(double predicted_s, double margin, double longest_s = 0);

/// Returns the band of a run time that was measured: equal runs differ, so that it is as wide as
/// that of a measured step.
Band measured_time(double seconds);

// What time limit to ask for when it is known how wrong predictions have been.

/// A bound that the next ratio stays below with that probability, whatever their distribution: the
/// ⌈(n+1) quantile⌉-th of the sorted ratios (Vovk, Gammerman, Shafer: Algorithmic Learning in a
/// Random World, 2005). Empty where there are too few: 19 for 95 %.
std::optional<double> next_ratio_bound(std::vector<double> ratios, double quantile);

struct WalltimeRequest {
  double seconds = 0;   ///< whole minutes
  double factor = 1;    ///< on the prediction
  bool learnt = false;  ///< the factor is of finished runs; else the usual margin
};

inline constexpr double kWalltimeQuantile = 0.98;

/// prediction x factor + start-up, up to a whole minute. The factor is next_ratio_bound's of the
/// finished runs, or with too few of them the larger of `margin` and the worst of them.
WalltimeRequest request_walltime(double predicted_s, const std::vector<double>& ratios,
                                 double margin, double quantile = kWalltimeQuantile);

}  // namespace dlscale::predict
