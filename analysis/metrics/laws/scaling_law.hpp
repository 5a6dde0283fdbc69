// SPDX-License-Identifier: Apache-2.0
// Shapes that times have as functions of the number of GPUs; docs/statistics.md has their sources.
#pragma once

#include <string_view>
#include <vector>

#include "base/registry.hpp"

namespace dlscale::analysis {

/// What a time T(G) is the time of.
enum class Work {
  PerGpu,  ///< weak scaling: as much for each GPU, so that ideal is T(G) = T(G0)
  Fixed,   ///< strong scaling: divided among the GPUs, so that ideal is T(G) = T(G0) G0 / G
};

/// What a law makes of one kind of work.
struct LawForm {
  const char* text = "";  ///< "a + b log2(G)"; empty where the law says nothing of such work
  /// Safe to extrapolate, since nothing lost grows like a power of G; docs/statistics.md has how
  /// those that are averaged were chosen.
  bool averaged = false;
};

/// A time, or a rate, as a sum of terms with coefficients that are not negative: each is a cost (of
/// a rate: a gain), so that a fit cannot bend to noise by taking one from another.
struct ScalingLaw {
  const char* name;
  const char* summary;
  LawForm per_gpu;
  LawForm fixed;
  /// True: the sum is G / (G0 T), a rate, and not T.
  bool of_rate;
  /// The terms at G GPUs with the smallest count measured, G0 >= 1, as many at each G.
  std::vector<double> (*terms)(double gpus, double first_gpus, Work work);
};

/// constant, amdahl, gustafson, usl, log2, log2_squared, sqrt_ln, ring, ring_latency.
base::Table<ScalingLaw> scaling_laws();

const LawForm& form_of(const ScalingLaw& law, Work work);

/// The time that an ideal machine takes, in units of that at G0: 1, or G0 / G.
double ideal_time(double gpus, double first_gpus, Work work);

}  // namespace dlscale::analysis
