// SPDX-License-Identifier: Apache-2.0
#include "workspace/plans/plan_summary.hpp"

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
    const std::string job = "j" + std::to_string(plan.jobs.size());
    plan.runs.push_back({.point = {{"gpus", std::to_string(gpus)}},
                         .job = job,
                         .gpus = gpus,
                         .batch_per_gpu = 64,
                         .global_batch = 64 * gpus,
                         .lr_peak = 0.025 * gpus,
                         .gpu_hours = 1.0 * gpus});
    plan.jobs.push_back({job, {"r"}, {.nodes = gpus / 4, .ranks_per_node = 4}});
  }
  return plan;
}

std::string summary(const contract::Plan& plan) {
  std::ostringstream out;
  workspace::print_plan_summary(plan, out);
  return out.str();
}

}  // namespace

TEST_CASE("the summary shows each distinct shape once with its number of runs") {
  CHECK(summary(small_plan()) ==
        "s: 3 runs in 3 jobs on here (slurm), weak scaling, at most 20 GPU-hours\n\n"
        "GPUs  nodes  batch/GPU  global batch  peak LR  runs\n"
        "----  -----  ---------  ------------  -------  ----\n"
        "   4      1         64           256      0.1     1\n"
        "   8      2         64           512      0.2     2\n");
}

TEST_CASE("the summary shows the parts of a batch that GPUs share unevenly") {
  auto plan = small_plan();
  plan.runs.resize(1);
  plan.runs[0].gpus = 3;
  plan.runs[0].batch_per_gpu = 43;
  plan.runs[0].global_batch = 128;
  plan.runs[0].uneven_batch = "spread";
  CHECK(summary(plan).find("   3      1      42-43           128      0.1     1\n") !=
        std::string::npos);
}

TEST_CASE("the summary shows the cost of each axis value and the expected duration of runs") {
  auto plan = small_plan();
  plan.axes = {{"gpus", {"4", "8"}}, {"model", {"mlp"}}};
  plan.runs[0].predicted_s = 3600;
  plan.runs[0].predicted_low_s = 3000;
  plan.runs[0].predicted_high_s = 5400;
  plan.runs[1].predicted_s = 1800;
  plan.runs[1].predicted_low_s = 1800;
  plan.runs[1].predicted_high_s = 3600;
  const std::string text = summary(plan);
  CHECK(text.find(
            "\npredicted: 1:00:00 (0:50:00 to 1:30:00) for the longest run, "
            "1:30:00 (1:20:00 to 2:30:00) for the 2 runs with a prediction one after another\n") !=
        std::string::npos);
  CHECK(text.find("\n\nGPU-hours by gpus: 4: 4, 8: 16\n") != std::string::npos);
  CHECK(text.find("by model") == std::string::npos);
}

TEST_CASE("costs are printed without exponents, and numeric axis values are sorted") {
  auto plan = small_plan();
  plan.axes = {{"gpus", {"8", "4"}}};
  for (auto& run : plan.runs) run.gpu_hours *= 1e6 / 3;
  CHECK(summary(plan).find(", at most 6666667 GPU-hours\n") != std::string::npos);
  CHECK(summary(plan).find("GPU-hours by gpus: 4: 1333333, 8: 5333333\n") != std::string::npos);
  plan.axes = {{"gpus", {"8", "4", "all"}}};
  plan.runs[0].point = {{"gpus", "all"}};
  plan.runs[0].gpu_hours = 1.0 / 3;
  CHECK(summary(plan).find("GPU-hours by gpus: 8: 5333333, all: 0.3333\n") != std::string::npos);
}

TEST_CASE("the summary counts jobs by kind if not all jobs are single") {
  auto plan = small_plan();
  plan.jobs[1].kind = contract::JobKind::packed;
  plan.jobs[2].kind = contract::JobKind::array;
  CHECK(summary(plan).rfind("s: 3 runs in 3 jobs (1 single, 1 packed, 1 array) on here", 0) == 0);
}

TEST_CASE("the summary groups skipped points by reason and shows warnings") {
  auto plan = small_plan();
  plan.skipped = {{{}, "too large"}, {{}, "odd"}, {{}, "too large"}};
  plan.warnings = {"careful"};
  CHECK(summary(plan).find("\nskipped 2 points: too large\nskipped 1 point: odd\n\n"
                           "warning: careful\n") != std::string::npos);
}

TEST_CASE("the summary omits GPU-hours without a walltime") {
  auto plan = small_plan();
  for (auto& run : plan.runs) run.gpu_hours = 0;
  CHECK(summary(plan).find("GPU-hours") == std::string::npos);
}
