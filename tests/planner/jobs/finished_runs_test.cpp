// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/finished_runs.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/planner/planned.hpp"

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;
using Catch::Contains;

namespace {

FinishedRun finished(int gpus, double elapsed_s, double predicted_s = 0) {
  return {{{"model", "mlp"}, {"gpus", std::to_string(gpus)}, {"lr_schedule", "step"}},
          gpus,
          predicted_s,
          elapsed_s};
}

contract::RunSpec finished_run_on(int gpus, const std::string& model = "mlp") {
  contract::RunSpec run;
  run.gpus = gpus;
  run.point = {{"model", model}, {"gpus", std::to_string(gpus)}, {"lr_schedule", "cosine"}};
  return run;
}

const std::string kFinishedSlurm =
    "scheduler = 'slurm'\nlauncher = 'srun'\nwalltime = '05:00:00'\n[[partitions]]\nname = 'p'\n"
    "cores_per_node = 8\n";

/// Returns the time limits of the demo's runs after some runs have finished.
std::set<double> limits(const std::vector<FinishedRun>& runs, const test::TempDir& dir,
                        const std::vector<std::string>& overrides = {}) {
  base::write_file_atomically(dir / "c.toml", kFinishedSlurm);
  PlanRequest request{test::kSource / "examples/studies/demo/study.toml", (dir / "c.toml").string(),
                      overrides};
  const Resources resources = test::shipped_resources();
  Planner planner(request, resources);
  planner.expand();
  const Planning planning = planner.finish({.runs = runs});
  std::set<double> found;
  for (const auto& run : test::runs_of(planning)) found.insert(run.resources.walltime_s);
  return found;
}

}  // namespace

TEST_CASE("the time of a point is that of its slowest finished run with any schedule") {
  const FinishedRuns runs({finished(2, 100), finished(2, 130), finished(4, 70)});
  CHECK(runs.run_s(finished_run_on(2), {})->value == Approx(130));
  CHECK(runs.run_s(finished_run_on(4), {})->value == Approx(70));
  CHECK(runs.run_s(finished_run_on(8), {})->value ==
        Approx(35));  // throughput proportional to the GPU count
  CHECK_FALSE(runs.run_s(finished_run_on(2, "cnn"), {}));
  CHECK_FALSE(FinishedRuns({}).run_s(finished_run_on(2), {}));
}

TEST_CASE("the margin is a bound from the finished runs if there are enough") {
  std::vector<FinishedRun> runs;
  for (int i = 1; i <= 99; ++i) runs.push_back(finished(1, 1000 + i, 1000));
  ResourceSettings requested;
  CHECK(FinishedRuns(runs).margin(requested) == Approx(1.098));  // 98th of 99 ratios
  requested.quantile = 0.5;
  CHECK(FinishedRuns(runs).margin(requested) == Approx(1.05));
  CHECK_THAT(FinishedRuns(runs).note(requested), Contains("x 1.05") && Contains("99 finished"));
}

TEST_CASE("few finished runs cannot lower the margin, and a slower run raises it") {
  const ResourceSettings requested;
  CHECK(FinishedRuns({finished(1, 110, 100)}).margin(requested) == Approx(1.5));
  CHECK(FinishedRuns({finished(1, 190, 100)}).margin(requested) == Approx(1.9));
  // A finished run without a prediction does not count.
  CHECK(FinishedRuns({finished(1, 190)}).margin(requested) == Approx(1.5));
  CHECK(FinishedRuns({finished(1, 190)}).note(requested).empty());
}

TEST_CASE("automatic time limits of a plan follow its finished runs") {
  const test::TempDir dir;
  CHECK(limits({}, dir) == std::set<double>{5 * 3600});
  std::vector<FinishedRun> runs;
  const Planning demo = test::plan_demo_on(kFinishedSlurm, dir);
  for (const auto& run : demo.plan.runs) runs.push_back({run.point, run.gpus, 0, 400});
  CHECK(limits(runs, dir) == std::set<double>{720});  // 400 x 1.5 + 120
  CHECK(limits(runs, dir, {"resources.walltime='01:00:00'"}) == std::set<double>{3600});
  for (FinishedRun& run : runs) run.predicted_s = 200;
  CHECK(limits(runs, dir) == std::set<double>{960});  // margin of 2 from the finished runs
}

TEST_CASE("the band of a finished run widens with the distance in GPU counts") {
  const FinishedRuns runs({finished(2, 130)});
  const predict::PublishedSpread spread{0.3, 0.02};
  const auto width = [&](int gpus) {
    const predict::Band band = runs.run_s(finished_run_on(gpus), spread).value();
    CHECK(band.low < band.value);
    return band.high / band.value;
  };
  CHECK(width(2) == Approx(1.06));
  CHECK(width(4) > 1.3);
  CHECK(width(64) > width(4));
}

TEST_CASE("the prediction with which a run was started is kept") {
  const test::TempDir dir;
  const Planning demo = test::plan_demo_on(kFinishedSlurm, dir);
  std::vector<FinishedRun> begun;
  for (const auto& run : demo.plan.runs) begun.push_back({run.point, run.gpus, 0, 400, run.run_id});
  begun.pop_back();
  begun.front().predicted_s = 300;
  base::write_file_atomically(dir / "c.toml", kFinishedSlurm);
  PlanRequest request{test::kSource / "examples/studies/demo/study.toml",
                      (dir / "c.toml").string()};
  const Resources resources = test::shipped_resources();
  Planner planner(request, resources);
  planner.expand();
  const auto runs = planner.finish({.runs = begun}).plan.runs;
  CHECK(runs.front().predicted_s == 300);
  CHECK(runs[1].predicted_s == 0);
  CHECK(runs.back().predicted_s == 400);
}

TEST_CASE("a quantile above 1 is rejected") {
  const test::TempDir dir;
  CHECK_THROWS_WITH(limits({}, dir, {"resources.quantile=1.5"}), Contains("resources.quantile"));
}

TEST_CASE("the time limit of an external run follows from a finished run of its point") {
  const test::TempDir dir;
  base::write_file_atomically(dir / "c.toml", kFinishedSlurm);
  base::write_file_atomically(dir / "s.toml",
                              "[study]\nname = 'mine'\n[matrix]\nmodel = 'net'\ngpus = 2\n"
                              "batch_per_gpu = 8\nparameters.depth = [18, 50]\n[trainer]\n"
                              "command = 'train.py {{depth}}'\nlauncher = 'ranks'\n");
  const Resources resources = test::shipped_resources();
  const PlanRequest request{dir / "s.toml", (dir / "c.toml").string()};
  const auto shallow = test::runs_of(make_plan(request, resources)).front();
  CHECK(shallow.resources.walltime_s == 5 * 3600);
  Planner planner(request, resources);
  planner.expand();
  const auto runs = test::runs_of(planner.finish({.runs = {{shallow.point, 2, 0, 1000}}}));
  CHECK(runs.front().resources.walltime_s >= 1000);
  CHECK(runs.front().resources.walltime_s < 3600);
  CHECK(runs.back().resources.walltime_s == 5 * 3600);
}
