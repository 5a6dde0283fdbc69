// SPDX-License-Identifier: Apache-2.0
// Computes speed-up and parallel efficiency against a Baseline.
#pragma once

#include <optional>

#include "analysis/metrics/scaling/baseline.hpp"

namespace dlscale::analysis {

/// Returns the speed-up S_{G|G0} = X_G / X_G0 of throughputs X. It is 1 at the baseline if the
/// baseline belongs to the point's curve. It counts processed samples, so padding and dropped
/// samples do not bias it.
Estimate speedup(const CurvePoint& point, const Baseline& baseline);

/// Returns G / G0.
double ideal_speedup(const CurvePoint& point, const Baseline& baseline);

/// Returns the efficiency E_{G|G0} = (X_G / G) / (X_G0 / G0) = S_{G|G0} * G0 / G. It is 1 at the
/// baseline and for ideal scaling.
Estimate efficiency(const CurvePoint& point, const Baseline& baseline);

/// Returns Karp and Flatt's serial fraction (1/S - 1/p) / (1 - 1/p) with p = G / G0. Returns an
/// empty value at p <= 1.
std::optional<double> karp_flatt(const CurvePoint& point, const Baseline& baseline);

}  // namespace dlscale::analysis
