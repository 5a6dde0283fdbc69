// SPDX-License-Identifier: Apache-2.0
// Computes the parts of a step's time, the data that an epoch sends, and the energy of runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// Parts of the time of a step.

/// Parts of the step time at one point of a curve. The times of the repeats are added up, because
/// shares must not be averaged.
struct Breakdown {
  CurveKey key;
  int gpus = 1;
  std::size_t n = 0;
  double step_time_s = 0;                            ///< wall time of the slowest rank
  std::array<double, contract::kStepParts> share{};  ///< shares of the parts, which add up to 1
  /// Sum of the parts divided by the wall time. It is 1 if the parts cover all of the time and all
  /// ranks are equally fast.
  double closure = 0;
  /// True for each part that was measured. The time of the other parts is in `other`.
  std::array<bool, contract::kStepParts> told = {};
  bool tells_steps = true;  ///< false if the number of steps, and so step_time_s, is unknown
};

/// Returns one breakdown for each point of the curves whose runs recorded step parts.
std::vector<Breakdown> breakdowns(const std::vector<ScalingCurve>& curves);

// Energy of runs whose jobs have an energy in batch-system accounting.

/// Returns the energy of the whole job in joules, including start-up and evaluation. Returns an
/// empty value if the energy is not recorded. sacct writes 0 if no sensor was read.
std::optional<double> job_energy_j(const RunRow& run);

/// Returns the job's energy divided by its running time, in watts.
std::optional<double> mean_power_w(const RunRow& run);

/// Energy of the repeats of a point that recorded it.
struct PointEnergy {
  std::size_t n = 0;           ///< number of repeats with an energy; 0: all values are unknown
  double run_j = 0;            ///< median energy of a run in joules
  double power_w = 0;          ///< median of the mean powers in watts
  double joules_a_sample = 0;  ///< median of mean power x time per sample
};
PointEnergy energy_of(const CurvePoint& point);

// Data that an epoch of data-parallel training sends, by two formulas (docs/metrics.md).

inline constexpr double kFp32Bytes = 4;

/// Returns N / (B k) x trainable parameters, a number of values: Banerjee and Shah, Princeton
/// (2023), section 2. Their B is the batch of one GPU, so `global_batch` is B k.
double published_values_per_epoch(double samples, double global_batch, double parameters);

/// Returns the bytes that each GPU sends in ring all-reduces: steps x 2 (k - 1) / k x parameters x
/// bytes per value.
double ring_bytes_per_epoch(double steps, int gpus, double parameters,
                            double bytes_per_value = kFp32Bytes);

}  // namespace dlscale::analysis
