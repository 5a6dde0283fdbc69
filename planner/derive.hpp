// SPDX-License-Identifier: Apache-2.0
// From what a study says about a point to the complete run: batches, learning rate, schedule.
#pragma once

#include <string>

#include "planner/study.hpp"

namespace dlscale::planner {

/// A run without id, repetition and resources. When one of the problems says something the point
/// cannot run as asked; `note` says what differs from what was asked (uneven_batch = "floor").
struct Derived {
  contract::RunSpec run;
  std::string batch_problem;
  std::string schedule_problem;
  std::string note;
};

Derived derive(const Recipe& recipe, const std::string& uneven_batch);

/// The rate after warm-up: base x GPUs (linear), base x sqrt(GPUs) (sqrt), base (none).
double lr_peak(double base, const std::string& scale, int gpus);

}  // namespace dlscale::planner
