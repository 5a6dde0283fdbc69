// SPDX-License-Identifier: Apache-2.0
// Defines scaling laws, which are times as functions of the number of GPUs. docs/statistics.md
// lists their sources.
#pragma once

#include <string_view>
#include <vector>

#include "base/registry.hpp"

namespace dlscale::analysis {

/// Kind of work that T(G) is the time of.
enum class Work {
  PerGpu,  ///< weak scaling: equal work for each GPU, ideally T(G) = T(G0)
  Fixed,   ///< strong scaling: work divided among the GPUs, ideally T(G) = T(G0) G0 / G
};

/// Form of a law for one kind of work.
struct LawForm {
  const char* text = "";  ///< formula, e.g. "a + b log2(G)"; empty: does not apply to this work
  /// True if the law is part of the average. An averaged law is safe to extrapolate, because no
  /// loss in it grows like a power of G. docs/statistics.md describes how the averaged laws were
  /// chosen.
  bool averaged = false;
};

/// Time, or rate, as a sum of terms with non-negative coefficients. Each term is a cost (for a
/// rate: a gain), so a fit cannot follow noise by subtracting one term from another.
struct ScalingLaw {
  const char* name;
  const char* summary;
  LawForm per_gpu;
  LawForm fixed;
  /// True if the sum is the rate G / (G0 T), false if it is T.
  bool of_rate;
  /// Returns the terms at G GPUs for the smallest measured count G0 >= 1. The number of terms is
  /// the same at each G.
  std::vector<double> (*terms)(double gpus, double first_gpus, Work work);
};

/// Returns the laws constant, amdahl, gustafson, usl, log2, log2_squared, sqrt_ln, ring and
/// ring_latency.
base::Table<ScalingLaw> scaling_laws();

const LawForm& form_of(const ScalingLaw& law, Work work);

/// Returns the time of an ideal machine in units of its time at G0: 1 for work per GPU, G0 / G for
/// fixed work.
double ideal_time(double gpus, double first_gpus, Work work);

}  // namespace dlscale::analysis
