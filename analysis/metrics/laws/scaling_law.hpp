// SPDX-License-Identifier: Apache-2.0
// Defines scaling laws: formulas for the time of a step, an epoch or a sample as a function of the
// number of GPUs. docs/statistics.md lists the sources of the laws.
#pragma once

#include <string_view>
#include <vector>

#include "base/registry.hpp"

namespace dlscale::analysis {

/// Kind of work whose time T(G) on G GPUs a law describes. G0 is the smallest measured GPU count.
enum class Work {
  PerGpu,  ///< weak scaling: equal work for each GPU, ideally T(G) = T(G0)
  Fixed,   ///< strong scaling: work divided among the GPUs, ideally T(G) = T(G0) G0 / G
};

/// Formula of a law for one kind of work.
struct LawForm {
  /// Formula such as "a + b log2(G)". Empty if the law does not apply to this kind of work.
  const char* text = "";
  /// True if the law is part of LawAverage. Only laws whose loss grows more slowly than any power
  /// of G are averaged, because they are safe to extrapolate. docs/statistics.md describes how
  /// these laws were chosen.
  bool averaged = false;
};

/// Scaling law: a time, or a rate, as a sum of terms with non-negative coefficients. Each term adds
/// a cost (or, for a rate, a gain). A fit therefore cannot follow noise by subtracting one term
/// from another.
struct ScalingLaw {
  const char* name;
  const char* summary;
  LawForm per_gpu;
  LawForm fixed;
  /// True if the sum is the rate G / (G0 T), false if the sum is the time T.
  bool of_rate;
  /// Returns the terms without their coefficients at `gpus` GPUs. `first_gpus` is the smallest
  /// measured GPU count and at least 1. The number of terms does not depend on the GPU count.
  std::vector<double> (*terms)(double gpus, double first_gpus, Work work);
};

/// Returns all scaling laws: constant, amdahl, gustafson, usl, log2, log2_squared, sqrt_ln, ring
/// and ring_latency.
base::Table<ScalingLaw> scaling_laws();

const LawForm& form_of(const ScalingLaw& law, Work work);

/// Returns the time with ideal scaling at `gpus` GPUs, relative to the time at `first_gpus` GPUs: 1
/// for a fixed work per GPU, first_gpus / gpus for a fixed total work.
double ideal_time(double gpus, double first_gpus, Work work);

}  // namespace dlscale::analysis
