// SPDX-License-Identifier: Apache-2.0
// Computes the parts of a step's time, the data that an epoch sends, and the energy of runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// Breakdown of the step time into parts.

/// Time of each part of a step (forward, backward, …) at one point of a curve, as a share of the
/// step time. The times of all repeats are added before the shares are computed, because a mean of
/// shares would give short runs too much weight.
struct Breakdown {
  CurveKey key;
  int gpus = 1;
  std::size_t n = 0;
  double step_time_s = 0;                            ///< wall time of a step on the slowest rank
  std::array<double, contract::kStepParts> share{};  ///< shares of the parts, which add up to 1
  /// Sum of all parts divided by the wall time of the slowest rank. It is 1 if the parts cover all
  /// of the time and all ranks are equally fast.
  double closure = 0;
  /// Flags of the parts that were measured. The time of the parts that were not measured is in the
  /// part `other`.
  std::array<bool, contract::kStepParts> reported = {};
  /// Seconds of an epoch in which the steps of a rank wait for data, and in which the threads of
  /// the rank's loader work, summed over the threads. Means over ranks and repeats. Empty if not
  /// recorded or if the number of steps of an epoch is unknown.
  std::optional<double> load_wait_s_per_epoch = {}, loader_busy_s_per_epoch = {};
  bool tells_steps = true;  ///< false if the number of steps and therefore step_time_s are unknown
};

/// Returns one breakdown for each point of the curves whose runs recorded step parts. A point
/// whose runs recorded only the part `other` is left out, because its steps are not divided.
std::vector<Breakdown> breakdowns(const std::vector<ScalingCurve>& curves);

// Energy of runs, from the accounting of the batch system that ran their jobs.

/// Returns the energy of the whole job in joules, including start-up and evaluation. Returns an
/// empty value if the energy is not recorded or 0, because sacct writes 0 if it could not read a
/// sensor.
std::optional<double> job_energy_j(const RunRow& run);

/// Returns the job's energy divided by its running time, in watts.
std::optional<double> mean_power_w(const RunRow& run);

/// Energy at a point, from the repeats that have both an energy and a running time.
struct PointEnergy {
  std::size_t n = 0;           ///< number of repeats with an energy; 0: all values are unknown
  double run_j = 0;            ///< median energy of a run in joules
  double power_w = 0;          ///< median of the mean powers in watts
  double joules_a_sample = 0;  ///< median of mean power x time per sample, in joules
};
PointEnergy energy_of(const CurvePoint& point);

// Amount of data that data-parallel training sends in an epoch, by two formulas (docs/metrics.md).

inline constexpr double kFp32Bytes = 4;

/// Returns the number of values sent in an epoch by the formula N / (B k) x P of Banerjee and Shah,
/// Princeton (2023), section 2. N is the number of samples, B the batch of one GPU, k the number of
/// GPUs and P the number of trainable parameters. `global_batch` is B k.
double published_values_per_epoch(double samples, double global_batch, double parameters);

/// Returns the bytes that each of k = `gpus` GPUs sends in the ring all-reduces of an epoch: steps
/// x 2 (k - 1) / k x parameters x bytes per value.
double ring_bytes_per_epoch(double steps, int gpus, double parameters,
                            double bytes_per_value = kFp32Bytes);

}  // namespace dlscale::analysis
