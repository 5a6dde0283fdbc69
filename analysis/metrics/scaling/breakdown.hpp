// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes, what an epoch sends, and what runs took of electricity.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// Where the time of a step goes.

/// One point of a curve, its repeats added up (shares are never averaged).
struct Breakdown {
  CurveKey key;
  int gpus = 1;
  std::size_t n = 0;
  double step_time_s = 0;                            ///< wall time of the slowest rank
  std::array<double, contract::kStepParts> share{};  ///< of the parts' sum; they add up to 1
  /// Sum of the parts over the wall time: 1 when the clock missed nothing and no rank was faster.
  double closure = 0;
  /// Whether anybody measured the part; the time of those that nobody did is in `other`.
  std::array<bool, contract::kStepParts> told = {};
  bool tells_steps = true;  ///< false: nobody says how many, and step_time_s is that of none
};

/// One per point of each curve whose runs recorded parts.
std::vector<Breakdown> breakdowns(const std::vector<ScalingCurve>& curves);

// What runs took of electricity, where a batch system's books tell it of their jobs.

/// Joules of the whole job, start-up and evaluation included; nothing where the books are silent:
/// sacct writes 0 where no sensor was read.
std::optional<double> job_energy_j(const RunRow& run);

/// The job's energy over the time it ran, in watts.
std::optional<double> mean_power_w(const RunRow& run);

/// Of the repeats of a point that tell their energy.
struct PointEnergy {
  std::size_t n = 0;           ///< of them; 0: nothing else is known
  double run_j = 0;            ///< median
  double power_w = 0;          ///< median of the mean powers
  double joules_a_sample = 0;  ///< median of mean power x time per sample
};
PointEnergy energy_of(const CurvePoint& point);

// How much an epoch of data-parallel training sends, by two formulas (docs/metrics.md).

inline constexpr double kFp32Bytes = 4;

/// N / (B k) x trainable parameters, a count of values: Banerjee and Shah, Princeton (2023),
/// section 2. Their B is the batch of one GPU, so that `global_batch` is B k.
double published_values_per_epoch(double samples, double global_batch, double parameters);

/// What each GPU really sends in a ring all-reduce: steps x 2 (k - 1) / k x parameters x bytes.
double ring_bytes_per_epoch(double steps, int gpus, double parameters,
                            double bytes_per_value = kFp32Bytes);

}  // namespace dlscale::analysis
