// SPDX-License-Identifier: Apache-2.0
// How long a run takes, from measured throughput, and what time limit to ask for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dlscale::predict {

/// Samples trained per second, all GPUs together.
struct Throughput {
  int gpus = 1;
  double samples_per_s = 0;
};

struct ThroughputEstimate {
  double samples_per_s = 0;
  bool extrapolated = false;  ///< outside the measured GPU counts
};

/// Throughput at a GPU count. Between two measured counts the logarithm is linear in that of the
/// count, outside of them throughput is linear in GPUs from the nearest measurement. Of several
/// measurements of one count the slowest holds. Nothing measured: no estimate.
std::optional<ThroughputEstimate> throughput_at(std::vector<Throughput> measured, int gpus);

/// Samples in an epoch of the data sets whose size is fixed (MNIST, Fashion-MNIST: 60,000;
/// CIFAR-10: 50,000; dlscale's generated digits: 6,000), if it is one of them.
std::optional<std::int64_t> known_train_samples(std::string_view dataset_kind);

inline constexpr double kDefaultMargin = 1.5;
/// Allowance for what comes before the first step: modules, libraries, opening the data.
inline constexpr double kStartUp_s = 120;

/// The time to ask for: prediction x margin + start-up, rounded up to whole minutes.
double walltime_s(double predicted_s, double margin);

}  // namespace dlscale::predict
