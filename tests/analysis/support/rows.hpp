// SPDX-License-Identifier: Apache-2.0
// Functions that make frames for tests from numbers.
#pragma once

#include <string>
#include <vector>

#include "analysis/frame.hpp"

namespace dlscale::test {

/// Returns a completed run of `framework` on `gpus` GPUs with the throughput `samples_per_s`.
inline analysis::RunRow run_at(int gpus, double samples_per_s, const std::string& framework = "ddp",
                               int repetition = 1) {
  analysis::RunRow run;
  run.run_id = framework + "-g" + std::to_string(gpus) + "-r" + std::to_string(repetition);
  run.repetition = repetition;
  run.outcome = "Completed";
  run.point = {{"framework", framework}, {"gpus", std::to_string(gpus)}};
  run.conditions = {{"device", "cuda"}, {"gpu", "A100"}};
  run.gpus = gpus;
  run.nodes = (gpus + 3) / 4;
  run.batch_per_gpu = 64;
  run.global_batch = 64 * gpus;
  run.steps.steps = 100;
  run.steps.samples = 100 * run.global_batch;
  run.steps.wall_s = static_cast<double>(run.steps.samples) / samples_per_s;
  run.steps.parts_s = {0, 0, 0.3 * run.steps.wall_s, 0.6 * run.steps.wall_s, 0,
                       0, 0, 0.1 * run.steps.wall_s};
  return run;
}

inline analysis::Frame frame_of(std::vector<analysis::RunRow> runs) {
  analysis::Frame frame;
  frame.study = "made-up";
  frame.scaling = "weak";
  frame.axes = {{"framework", {"ddp", "horovod"}}, {"gpus", {"1", "2", "4", "8"}}};
  frame.runs = std::move(runs);
  return frame;
}

}  // namespace dlscale::test
