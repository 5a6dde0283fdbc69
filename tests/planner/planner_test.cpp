// SPDX-License-Identifier: Apache-2.0
#include "planner/planner.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "contract/capabilities.hpp"
#include "contract/run_id.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

TEST_CASE("the published study on JUWELS has its points, exclusions and learning rates") {
  const auto planning = test::plan_example("juwels", "juwels-booster");
  const auto& plan = planning.plan;
  CHECK(plan.runs.size() == 3 * (2 * 3 * 3 * 26 + 3 * 3 * 8));
  CHECK(plan.skipped.size() == 189);
  CHECK(plan.baseline.gpus == 4);
  std::map<int, std::set<double>> peaks;
  for (const auto& run : plan.runs) peaks[run.gpus].insert(run.lr_peak);
  REQUIRE(peaks.size() == 9);
  CHECK(*peaks.at(4).begin() == Approx(0.1));
  CHECK(*peaks.at(1024).begin() == Approx(25.6));
  for (const auto& [gpus, values] : peaks) CHECK(values.size() == 1);
  for (const auto& run : planning.runs) {
    CHECK(run.lr_schedule.origin ==
          (run.lr_schedule.kind == "exponential" ? "after_warmup" : "start"));
    CHECK(run.resources.nodes * 4 == run.gpus);
  }
}

TEST_CASE("the published study on NEF runs the floor of what does not divide, and says so") {
  const auto planning = test::plan_example("nef", "nef");
  CHECK(planning.plan.runs.size() == 110);
  REQUIRE(planning.plan.skipped.size() == 1);
  CHECK(planning.plan.skipped[0].point.at("global_batch") == "128");
  CHECK(planning.plan.warnings.size() == 4);
  for (const auto& run : planning.runs) {
    CHECK(run.global_batch == run.batch_per_gpu * run.gpus);
    if (run.gpus < 3) CHECK(run.point.at("global_batch") == std::to_string(run.global_batch));
  }
}

TEST_CASE("run ids are unique, repetitions of a point share theirs, jobs are named after runs") {
  const auto planning = test::plan_example("demo", "local", {"study.repeats=2"});
  std::set<std::string> runs, points;
  for (std::size_t i = 0; i < planning.runs.size(); ++i) {
    runs.insert(planning.runs[i].run_id);
    points.insert(contract::point_id(planning.runs[i].run_id));
    CHECK(planning.plan.runs[i].run_id == planning.runs[i].run_id);
    CHECK(planning.plan.jobs[i].run_ids == std::vector{planning.runs[i].run_id});
    CHECK(planning.plan.runs[i].job == planning.plan.jobs[i].name);
  }
  CHECK(runs.size() == 32);
  CHECK(points.size() == 16);
}

TEST_CASE("a plan above its budget is refused and says what it would take") {
  const auto message =
      test::error_of([] { test::plan_example("nef", "nef", {"resources.max_gpu_hours=100"}); });
  CHECK(message ==
        "-S resources.max_gpu_hours=100: resources.max_gpu_hours: the plan may take up to 230 "
        "GPU-hours (every run for its whole walltime), the limit is 100");
  CHECK_NOTHROW(test::plan_example("nef", "nef", {"resources.max_gpu_hours=230"}));
  CHECK(test::error_of([] {
          test::plan_example("demo", "local", {"resources.max_gpu_hours=9"});
        }).find("cannot be checked: neither study nor site says a walltime") != std::string::npos);
}

TEST_CASE("names the site's trainer lacks are one warning each") {
  test::TempDir dir;
  contract::Capabilities capabilities{"1", {}, {}};
  capabilities.families = {{"framework", {"ddp"}},    {"model", {"mlp"}},
                           {"loader", {"memory"}},    {"lr_schedule", {"step", "cosine"}},
                           {"optimizer", {"sgd"}},    {"dataset", {"synthetic_digits"}},
                           {"communicator", {"mpi"}}, {"device", {"cpu"}}};
  base::write_file_atomically(dir / "caps.json", contract::to_json(capabilities));
  const std::string site = "scheduler = 'local'\n";
  const auto planning = test::plan_demo_on(site + "capabilities = 'caps.json'", dir);
  REQUIRE(planning.plan.warnings.size() == 1);
  CHECK(planning.plan.warnings[0] ==
        "the trainer has no framework \"synchronous\": 24 of 48 runs would fail (" +
            (dir / "caps.json").string() + ")");
  auto resources = test::shipped_resources();
  resources.capabilities = dir / "caps.json";
  const auto study = test::kSource / "examples/studies/nef/study.toml";
  CHECK(planner::make_plan({study, "nef", {}}, resources).plan.warnings.size() == 4);
}

TEST_CASE("a baseline that no run has is a warning") {
  const auto planning = test::plan_example("demo", "local", {"matrix.gpus=[2]"});
  REQUIRE(planning.plan.warnings.size() == 1);
  CHECK(planning.plan.warnings[0] ==
        "no run has the baseline's 1 GPUs: there will be no speed-up to compute");
}

TEST_CASE("the trainer is the site's, else the one beside on this machine, else that on PATH") {
  auto resources = test::shipped_resources();
  resources.trainer = "/opt/bin/dlscale-train";
  const auto study = test::kSource / "examples/studies/demo/study.toml";
  CHECK(planner::make_plan({study, "local", {}}, resources).site.trainer ==
        "/opt/bin/dlscale-train");
  CHECK(planner::make_plan({study, "juwels-booster", {}}, resources).site.trainer ==
        "dlscale-train");
  test::TempDir dir;
  CHECK(test::plan_demo_on("scheduler = 'local'\ntrainer = 'mine'", dir).site.trainer == "mine");
}

TEST_CASE("a site's variables are in the runs' data set paths") {
  test::TempDir dir;
  const auto planning = test::plan_demo_on("scheduler = 'local'\nvariables = { DATA = '/d' }", dir,
                                           {"training.dataset.path=$DATA/$SCRATCH"});
  CHECK(planning.runs[0].dataset.path == "/d/$SCRATCH");
}

TEST_CASE("what cannot be planned is refused with one line") {
  CHECK(test::error_of([] {
          test::plan_example("demo", "mars");
        }).rfind("unknown site \"mars\"", 0) == 0);
  CHECK(test::error_of([] { test::plan_example("nothing", "local"); }).rfind("cannot read ", 0) ==
        0);
  CHECK(test::error_of([] {
          test::plan_example("demo", "local", {"exclude=[{when = 'true', why = 'x'}]"});
        }).find("every point of the study is left out") != std::string::npos);
  CHECK(test::error_of([] {
          test::plan_example("demo", "local", {"training.optimizer.momentum=0"});
        }).find("optimizer.nesterov: needs momentum above 0") != std::string::npos);
}
