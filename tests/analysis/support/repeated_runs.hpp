// SPDX-License-Identifier: Apache-2.0
// Functions that add several repeats of a point to a frame for tests.
#pragma once

#include <string>

#include "tests/analysis/support/rows.hpp"

namespace dlscale::test {

/// Adds repeats whose throughputs differ by up to 1 % from `samples_per_s`.
inline void add_repeats(analysis::Frame& frame, int gpus, double samples_per_s, int repeats,
                        const std::string& framework = "ddp") {
  for (int i = 0; i < repeats; ++i) {
    const double share = repeats == 1 ? 0 : 2.0 * i / (repeats - 1) - 1;
    frame.runs.push_back(run_at(gpus, samples_per_s * (1 + 0.01 * share), framework, i + 1));
  }
}

/// Adds repeats with final accuracies that differ by up to 0.1 percentage points from `accuracy`.
inline void add_accurate_repeats(analysis::Frame& frame, int gpus, double accuracy, int repeats,
                                 const std::string& framework = "ddp") {
  add_repeats(frame, gpus, 100.0 * gpus, repeats, framework);
  for (int i = 0; i < repeats; ++i) {
    analysis::RunRow& run = frame.runs[frame.runs.size() - 1 - static_cast<std::size_t>(i)];
    const double share = repeats == 1 ? 0 : 2.0 * i / (repeats - 1) - 1;
    run.task = "classification";
    run.evals.push_back({.epoch = 0, .accuracy = accuracy + 0.001 * share});
  }
}

}  // namespace dlscale::test
