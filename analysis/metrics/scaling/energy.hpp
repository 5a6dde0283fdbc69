// SPDX-License-Identifier: Apache-2.0
// What runs took of electricity, where a batch system's books tell it of their jobs.
#pragma once

#include <optional>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
