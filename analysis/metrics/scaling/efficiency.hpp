// SPDX-License-Identifier: Apache-2.0
// How much faster, and how well used: speed-up and parallel efficiency against a Baseline.
#pragma once

#include <optional>

#include "analysis/metrics/scaling/baseline.hpp"

namespace dlscale::analysis {

/// S_{G|G0} = X_G / X_G0 with throughputs X: 1 at the baseline, if that is of the point's curve. It
/// counts the samples processed, so padding and dropped samples do not bias it.
Estimate speedup(const CurvePoint& point, const Baseline& baseline);

/// G / G0.
double ideal_speedup(const CurvePoint& point, const Baseline& baseline);

/// E_{G|G0} = (X_G / G) / (X_G0 / G0) = S_{G|G0} * G0 / G: 1 at the baseline and for ideal scaling.
Estimate efficiency(const CurvePoint& point, const Baseline& baseline);

/// Karp and Flatt's serial fraction (1/S - 1/p) / (1 - 1/p) with p = G / G0; empty at p <= 1.
std::optional<double> karp_flatt(const CurvePoint& point, const Baseline& baseline);

}  // namespace dlscale::analysis
