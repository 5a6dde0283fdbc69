// SPDX-License-Identifier: Apache-2.0
// A short run for tests that signal a process to stop, and access to its records.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <variant>
#include <vector>

#include "tests/support/records.hpp"
#include "tests/trainer/job.hpp"

namespace dlscale::test {

/// Returns a run with 40 steps per epoch on one rank, or 20 steps per epoch on two ranks.
inline contract::RunSpec description(int ranks, int epochs = 6) {
  contract::RunSpec spec;
  spec.run_id = "digits";
  spec.dataset = {"synthetic_digits", "", 640, 200};
  spec.gpus = ranks;
  spec.batch_per_gpu = 16;
  spec.global_batch = 16 * ranks;
  spec.epochs = epochs;
  spec.warmup_epochs = 1;
  spec.lr = {.base = 0.01, .peak = 0.05};
  spec.lr_schedule.kind = "cosine";
  spec.optimizer.momentum = 0.9;
  spec.window_steps = 7;
  return spec;
}

inline const contract::RunStop& stop_of(const contract::ResultsFile& results) {
  REQUIRE_FALSE(results.records.empty());
  REQUIRE(std::holds_alternative<contract::RunStop>(results.records.back()));
  return std::get<contract::RunStop>(results.records.back());
}

/// Waits until the launch has recorded at least `windows` windows.
inline void wait_for_windows(const Job& job, int launch, std::size_t windows) {
  job.wait_for([&] { return all<contract::StepWindow>(job.results(launch)).size() >= windows; });
}

}  // namespace dlscale::test
