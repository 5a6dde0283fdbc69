// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_summary.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace dlscale;

namespace {

contract::Plan small_plan() {
  contract::Plan plan;
  plan.study = "s";
  plan.scaling = "weak";
  plan.site = "here";
  plan.scheduler = "slurm";
  for (int gpus : {4, 8, 8}) {
    plan.runs.push_back({.gpus = gpus,
                         .batch_per_gpu = 64,
                         .global_batch = 64 * gpus,
                         .lr_peak = 0.025 * gpus,
                         .gpu_hours = 1.0 * gpus});
    plan.jobs.push_back({"j", {"r"}, {.nodes = gpus / 4, .ranks_per_node = 4}});
  }
  return plan;
}

std::string summary(const contract::Plan& plan) {
  std::ostringstream out;
  cli::print_plan_summary(plan, out);
  return out.str();
}

}  // namespace

TEST_CASE("the summary shows each distinct shape once, with its runs") {
  CHECK(summary(small_plan()) ==
        "s: 3 runs in 3 jobs on here (slurm), weak scaling, at most 20 GPU-hours\n\n"
        "GPUs  nodes  batch/GPU  global batch  peak LR  runs\n"
        "----  -----  ---------  ------------  -------  ----\n"
        "   4      1         64           256      0.1     1\n"
        "   8      2         64           512      0.2     2\n");
}

TEST_CASE("the summary groups skipped points by reason and shows warnings") {
  auto plan = small_plan();
  plan.skipped = {{{}, "too large"}, {{}, "odd"}, {{}, "too large"}};
  plan.warnings = {"careful"};
  CHECK(summary(plan).find("\nskipped 2 points: too large\nskipped 1 point: odd\n\n"
                           "warning: careful\n") != std::string::npos);
}

TEST_CASE("without a walltime the summary states no GPU-hours") {
  auto plan = small_plan();
  for (auto& run : plan.runs) run.gpu_hours = 0;
  CHECK(summary(plan).find("GPU-hours") == std::string::npos);
}
