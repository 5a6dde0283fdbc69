// SPDX-License-Identifier: Apache-2.0
// A scaling law put through measured times.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/scaling_law.hpp"

namespace dlscale::analysis {

struct LawPoint {
  double gpus = 1;  ///< at least 1
  double time = 0;  ///< above 0: of a step, an epoch, a sample; all of one kind
};

/// Points of one kind of work by ascending GPU count, no count twice.
struct LawData {
  Work work = Work::PerGpu;
  std::vector<LawPoint> points;
  double first_gpus() const { return points.front().gpus; }
  double last_gpus() const { return points.back().gpus; }
};

struct Fit {
  const ScalingLaw* law = nullptr;
  std::vector<double> coefficients;  ///< none negative
  double residual = 0;               ///< root mean square of T_law / T - 1
  /// The same where each point in turn is predicted by the others. Empty with fewer points than one
  /// more than coefficients.
  std::optional<double> leave_one_out;
  /// Akaike's criterion corrected for few points (Hurvich and Tsai, 1989), the variance counted as
  /// a parameter; empty where there are too few for the correction, or the fit is exact.
  std::optional<double> aicc;
};

/// Least squares of relative errors under coefficients >= 0 (of all subsets of terms the best
/// feasible). Empty where the law does not apply, has more coefficients than there are points, or
/// would have a point take no time.
std::optional<Fit> fit(const ScalingLaw& law, const LawData& data);

/// T at `gpus` GPUs, in the unit of `data`'s times.
double predicted_time(const Fit& fit, const LawData& data, double gpus);

}  // namespace dlscale::analysis
