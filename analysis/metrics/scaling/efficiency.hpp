// SPDX-License-Identifier: Apache-2.0
// Computes speed-up and parallel efficiency relative to a Baseline.
#pragma once

#include <optional>

#include "analysis/metrics/scaling/baseline.hpp"

namespace dlscale::analysis {

/// Returns the speed-up S = X_G / X_G0, where X_G is the throughput at the point and X_G0 the
/// throughput at the baseline. S is 1 at the baseline if the baseline belongs to the point's curve.
/// Throughputs count the samples that were processed, so padding and dropped samples do not bias S.
Estimate speedup(const CurvePoint& point, const Baseline& baseline);

/// Returns the ideal speed-up: the point's GPU count divided by the baseline's GPU count.
double ideal_speedup(const CurvePoint& point, const Baseline& baseline);

/// Returns the parallel efficiency E = (X_G / G) / (X_G0 / G0) = S G0 / G, where S is the speed-up,
/// G the point's GPU count and G0 the baseline's GPU count. E is 1 at the baseline and for ideal
/// scaling.
Estimate efficiency(const CurvePoint& point, const Baseline& baseline);

/// Largest parallel efficiency without a warning. A larger efficiency is better than ideal by more
/// than 5 % and therefore suspicious.
inline constexpr double kPlausibleEfficiency = 1.05;

/// Returns Karp and Flatt's serial fraction (1/S - 1/p) / (1 - 1/p), where S is the speed-up and p
/// the ideal speed-up. Returns an empty value if p <= 1.
std::optional<double> karp_flatt(const CurvePoint& point, const Baseline& baseline);

}  // namespace dlscale::analysis
