// SPDX-License-Identifier: Apache-2.0
#include "planner/study/batches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace dlscale::planner {
namespace {

/// The largest divisor of `number` that is at most `most`; both at least 1.
std::int64_t largest_divisor(std::int64_t number, std::int64_t most) {
  if (number <= most) return number;
  std::int64_t best = 1;
  for (std::int64_t d = 1; d <= most && d * d <= number; ++d) {
    if (number % d != 0) continue;
    best = std::max(best, d);
    if (number / d <= most) best = std::max(best, number / d);
  }
  return best;
}

/// Both batches given: the steps are what is left.
void derive_steps(const BatchWish& wish, int gpus, bool floor, Batches& out) {
  const std::int64_t at_once = *wish.per_gpu * gpus;
  const auto split = [&] {
    return fmt::format("global_batch {} over {} x batch_per_gpu {}", *wish.global,
                       base::count_of(gpus, "GPU"), *wish.per_gpu);
  };
  const std::int64_t steps = *wish.global / at_once;
  out.accumulation_steps = static_cast<int>(std::max<std::int64_t>(steps, 1));
  if (steps < 1) {
    out.problem = split() + " is less than one step";
  } else if (*wish.global % at_once != 0 && floor) {
    out.note = fmt::format("{}: {}, so these runs have global batch {}", split(),
                           base::count_of(steps, "accumulation step"), steps * at_once);
  } else if (*wish.global % at_once != 0) {
    out.problem = split() + " does not divide evenly";
  }
}

/// Only the global batch given.
void derive_per_gpu(const BatchWish& wish, int gpus, bool floor, Batches& out) {
  const std::int64_t global = *wish.global;
  if (wish.most_per_gpu && global >= gpus) {
    const std::int64_t share = global / gpus, most = *wish.most_per_gpu;
    const bool even = global % gpus == 0;
    const std::int64_t per_gpu = even ? largest_divisor(share, most) : std::min(share, most);
    out.accumulation_steps = static_cast<int>((share + per_gpu - 1) / per_gpu);
  }
  const std::int64_t parts = std::int64_t{gpus} * out.accumulation_steps;
  out.batch_per_gpu = global / parts;
  out.quotient = static_cast<double>(global) / static_cast<double>(parts);
  const auto split = [&] {
    return fmt::format("global_batch {} over {}{}", global, base::count_of(gpus, "GPU"),
                       out.accumulation_steps > 1
                           ? fmt::format(" x {} accumulation steps", out.accumulation_steps)
                           : "");
  };
  if (out.batch_per_gpu < 1) {
    out.problem = split() + " is less than one sample per GPU";
  } else if (global % parts != 0 && floor) {
    out.note = fmt::format("{}: {} per GPU, so these runs have global batch {}", split(),
                           out.batch_per_gpu, out.batch_per_gpu * parts);
  } else if (global % parts != 0) {
    out.problem = split() + " does not divide evenly";
  }
}

}  // namespace

Batches split_batches(const BatchWish& wish, int gpus, const std::string& uneven_batch) {
  const bool floor = uneven_batch == "floor";
  Batches out;
  out.accumulation_steps = wish.accumulation_steps.value_or(1);
  if (wish.per_gpu) {
    out.batch_per_gpu = *wish.per_gpu;
    out.quotient = static_cast<double>(*wish.per_gpu);
    if (wish.global) derive_steps(wish, gpus, floor, out);
    if (wish.most_per_gpu && *wish.per_gpu > *wish.most_per_gpu) {
      out.problem = fmt::format("batch_per_gpu {} is above max_batch_per_gpu {}", *wish.per_gpu,
                                *wish.most_per_gpu);
    }
  } else {
    derive_per_gpu(wish, gpus, floor, out);
  }
  const std::int64_t parts = std::int64_t{gpus} * out.accumulation_steps;
  if (__builtin_mul_overflow(out.batch_per_gpu, parts, &out.global_batch)) {
    out.problem = "the global batch is too large";
  }
  return out;
}

}  // namespace dlscale::planner
