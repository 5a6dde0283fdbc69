// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/laws/scaling_law.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace dlscale::analysis {
namespace {

using Terms = std::vector<double>;

constexpr ScalingLaw kLaws[] = {
    {.name = "constant",
     .summary = "perfect scaling",
     .per_gpu = {"a", false},
     .fixed = {"a G0/G", true},
     .of_rate = false,
     .terms = [](double gpus, double first_gpus, Work work) -> Terms {
       return {ideal_time(gpus, first_gpus, work)};
     }},
    // Amdahl (1967): a part of the work is not divided. Every GPU does this part in full.
    {.name = "amdahl",
     .summary = "a serial part",
     .per_gpu = {"a + b G/G0", false},
     .fixed = {"a G0/G + b", true},
     .of_rate = false,
     .terms = [](double gpus, double first_gpus, Work work) -> Terms {
       return {ideal_time(gpus, first_gpus, work), work == Work::PerGpu ? gpus / first_gpus : 1};
     }},
    // Gustafson (1988): the work grows with the number of GPUs, and a part of the work does not
    // become faster with more GPUs.
    {.name = "gustafson",
     .summary = "scaled speed-up: a part that gains nothing from more GPUs",
     .per_gpu = {"(G/G0) / (a + b G/G0)", false},
     .fixed = {},
     .of_rate = true,
     .terms = [](double gpus, double first_gpus, Work work) -> Terms {
       return {1, work == Work::PerGpu ? gpus / first_gpus : 0};
     }},
    // Universal scalability law (Gunther, 1993): b is the cost of contention, c the cost of
    // coherence.
    {.name = "usl",
     .summary = "contention and coherence",
     .per_gpu = {"a + b (G-1) + c G(G-1)", false},
     .fixed = {"(a + b (G-1) + c G(G-1)) / G", false},
     .of_rate = false,
     .terms = [](double gpus, double /*first_gpus*/, Work work) -> Terms {
       const double share = work == Work::PerGpu ? 1 : 1 / gpus;
       return {share, share * (gpus - 1), share * gpus * (gpus - 1)};
     }},
    // Tree-shaped communication: the number of stages is log2(G).
    {.name = "log2",
     .summary = "stages of a tree",
     .per_gpu = {"a + b log2(G)", true},
     .fixed = {"a G0/G + b log2(G)", true},
     .of_rate = false,
     .terms = [](double gpus, double first_gpus, Work work) -> Terms {
       return {ideal_time(gpus, first_gpus, work), std::log2(gpus)};
     }},
    // Tree-shaped communication in which each stage waits for the slowest GPU of the stage below,
    // so that stages become slower with more GPUs.
    {.name = "log2_squared",
     .summary = "stages of a tree, each waiting for its slowest GPU",
     .per_gpu = {"a + b log2(G)^2", true},
     .fixed = {"a G0/G + b log2(G)^2", false},
     .of_rate = false,
     .terms = [](double gpus, double first_gpus, Work work) -> Terms {
       const double stages = std::log2(gpus);
       return {ideal_time(gpus, first_gpus, work), stages * stages};
     }},
    // Stragglers: the slowest of G normally distributed times is about sqrt(2 ln G) standard
    // deviations above the mean.
    {.name = "sqrt_ln",
     .summary = "waiting for the slowest GPU",
     .per_gpu = {"a + b sqrt(ln G)", true},
     .fixed = {"a G0/G + b sqrt(ln G)", true},
     .of_rate = false,
     .terms = [](double gpus, double first_gpus, Work work) -> Terms {
       return {ideal_time(gpus, first_gpus, work), std::sqrt(std::log(gpus))};
     }},
    // Bandwidth of a ring all-reduce: each GPU sends 2 (G - 1) / G times the message. For fixed
    // work this law is Amdahl's law with other coefficients, so only one of these two laws is
    // averaged.
    {.name = "ring",
     .summary = "bandwidth of a ring all-reduce",
     .per_gpu = {"a + b (G-1)/G", false},
     .fixed = {"a G0/G + b (G-1)/G", false},
     .of_rate = false,
     .terms = [](double gpus, double first_gpus, Work work) -> Terms {
       return {ideal_time(gpus, first_gpus, work), (gpus - 1) / gpus};
     }},
    // Bandwidth and latency of a ring all-reduce, in which each GPU sends 2 (G - 1) messages.
    {.name = "ring_latency",
     .summary = "bandwidth and latency of a ring all-reduce",
     .per_gpu = {"a + b (G-1)/G + c (G-1)", false},
     .fixed = {"a G0/G + b (G-1)/G + c (G-1)", false},
     .of_rate = false,
     .terms = [](double gpus, double first_gpus, Work work) -> Terms {
       return {ideal_time(gpus, first_gpus, work), (gpus - 1) / gpus, gpus - 1};
     }},
};

}  // namespace

base::Table<ScalingLaw> scaling_laws() {
  static const auto rows = [] {
    std::array<const ScalingLaw*, std::size(kLaws)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = &kLaws[i];
    return all;
  }();
  return rows;
}

const LawForm& form_of(const ScalingLaw& law, Work work) {
  return work == Work::PerGpu ? law.per_gpu : law.fixed;
}

double ideal_time(double gpus, double first_gpus, Work work) {
  return work == Work::PerGpu ? 1 : first_gpus / gpus;
}

}  // namespace dlscale::analysis
