// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/budget.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace dlscale;
using namespace dlscale::planner;

namespace {

/// Appends a curve whose points on N GPUs cost N GPU-hours, with `repeats` runs for each point.
void add_curve(std::vector<contract::PlannedRun>& runs, const std::string& model,
               const std::vector<int>& gpus, int repeats = 1) {
  for (const int g : gpus) {
    for (int r = 1; r <= repeats; ++r) {
      contract::PlannedRun run;
      run.run_id = model + "-g" + std::to_string(g) + "-r" + std::to_string(r);
      run.repetition = r;
      run.point = {{"model", model}, {"gpus", std::to_string(g)}};
      run.gpus = g;
      run.gpu_hours = g;
      runs.push_back(run);
    }
  }
}

std::vector<contract::PlannedRun> curve(const std::vector<int>& gpus, int repeats = 1) {
  std::vector<contract::PlannedRun> runs;
  add_curve(runs, "m", gpus, repeats);
  return runs;
}

/// Returns the GPU counts of the remaining runs in the order of the runs.
std::vector<int> left(const std::vector<contract::PlannedRun>& runs, const Fit& fit) {
  std::vector<int> gpus;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool dropped = std::any_of(fit.dropped.begin(), fit.dropped.end(), [&](const auto& d) {
      return runs[d.first_run].point == runs[i].point;
    });
    if (!dropped) gpus.push_back(runs[i].gpus);
  }
  return gpus;
}

const std::vector<int> kPowers{4, 8, 16, 32, 64, 128, 256, 512, 1024};

}  // namespace

TEST_CASE("a plan within its budget keeps every point") {
  const auto runs = curve(kPowers);
  CHECK(total_gpu_hours(runs) == 2044);
  CHECK(fit_budget(runs, 2044, 0).dropped.empty());
}

TEST_CASE("expensive points in the middle are dropped first, and the ends are kept") {
  const auto runs = curve(kPowers);
  CHECK(left(runs, fit_budget(runs, 2043, 0)) ==
        std::vector<int>{4, 8, 16, 32, 64, 128, 256, 1024});
  // Without the point on 512 GPUs, the neighbours of the point on 256 GPUs are farther apart than
  // the neighbours of the point on 128 GPUs.
  CHECK(left(runs, fit_budget(runs, 1500, 0)) == std::vector<int>{4, 8, 16, 32, 64, 256, 1024});
  CHECK(left(runs, fit_budget(runs, 1365, 0)) == std::vector<int>{4, 16, 64, 256, 1024});
  CHECK(left(runs, fit_budget(runs, 1028, 0)) == std::vector<int>{4, 1024});
}

TEST_CASE("GPU counts close to each other are dropped before isolated ones") {
  const auto runs = curve({1, 2, 48, 50, 52, 512});
  CHECK(left(runs, fit_budget(runs, 620, 0)) == std::vector<int>{1, 2, 48, 52, 512});
}

TEST_CASE("a limit below the cost of the ends is exceeded, and that cost is returned") {
  const auto runs = curve(kPowers);
  const Fit fit = fit_budget(runs, 1000, 0);
  CHECK(fit.dropped.size() == kPowers.size() - 2);
  CHECK(fit.gpu_hours == 1028);
}

TEST_CASE("the GPU count of the baseline is kept") {
  const auto runs = curve(kPowers);
  CHECK(left(runs, fit_budget(runs, 1044, 16)) == std::vector<int>{4, 16, 1024});
}

TEST_CASE("repetitions of a point are dropped and counted together") {
  const auto runs = curve({4, 8, 16}, 3);
  const Fit fit = fit_budget(runs, 83, 0);
  REQUIRE(fit.dropped.size() == 1);
  CHECK(fit.dropped[0].first_run == 3);
  CHECK(fit.gpu_hours == 60);
  CHECK(fit.dropped[0].why.find("left out to stay within 83 GPU-hours: the point takes 24 "
                                "GPU-hours and lies between 4 and 16 GPUs") == 0);
}

TEST_CASE("the most expensive point of several curves is dropped first") {
  auto runs = curve({4, 8, 16});
  add_curve(runs, "big", {16, 32, 64});
  CHECK(left(runs, fit_budget(runs, total_gpu_hours(runs) - 1, 0)) ==
        std::vector<int>{4, 8, 16, 16, 64});
}

TEST_CASE("costs are listed for each value of each axis") {
  contract::Plan plan;
  plan.axes = {{"model", {"m", "unused"}}, {"gpus", {"4", "8"}}};
  plan.runs = curve({4, 8}, 2);
  const auto costs = cost_by_facet(plan);
  REQUIRE(costs.size() == 3);
  CHECK(costs[0].value == "m");
  CHECK(costs[0].runs == 4);
  CHECK(costs[0].gpu_hours == 24);
  CHECK(costs[2].axis == "gpus");
  CHECK(costs[2].gpu_hours == 16);
}
