// SPDX-License-Identifier: Apache-2.0
// Tests of the jobs and budgets of whole plans.
#include "planner/jobs/plan_jobs.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "planner/jobs/budget.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

const std::string kSite =
    "scheduler = 'slurm'\ndevice = 'cuda'\nlauncher = 'srun'\nwalltime = '01:00:00'\n"
    "[[partitions]]\nname = 'p'\ngpus_per_node = 4\ncores_per_node = 48\nexclusive = true\n";

test::StudyText study_of(const std::string& gpus, const std::string& resources) {
  test::StudyText text;
  text.matrix = "model = 'mlp'\ngpus = " + gpus + "\nbatch_per_gpu = 32";
  text.resources = resources;
  return text;
}

}  // namespace

TEST_CASE("a plan is charged for whole nodes on an exclusive partition") {
  test::TempDir dir;
  const auto planning = test::plan_texts(study_of("[1, 4, 8]", "").text(), kSite, dir);
  CHECK(planner::total_gpu_hours(planning.plan.runs) == 4 + 4 + 8);
  const auto shared =
      test::plan_texts(study_of("[1, 4, 8]", "exclusive = false").text(), kSite, dir);
  CHECK(planner::total_gpu_hours(shared.plan.runs) == 1 + 4 + 8);
}

TEST_CASE("the option --fit leaves out points by its rule and lists them with their cost") {
  test::TempDir dir;
  auto text = study_of("[4, 8, 16, 32, 64]", "max_gpu_hours = 100");
  text.study += "\nrepeats = 1";
  CHECK(test::error_of([&] { test::plan_texts(text.text(), kSite, dir); })
            .find("resources.max_gpu_hours: the plan may take up to 124 GPU-hours (every run for "
                  "its whole walltime), but the limit is 100") != std::string::npos);
  const auto planning = test::plan_texts(text.text(), kSite, dir, true);
  CHECK(planner::total_gpu_hours(planning.plan.runs) == 92);
  REQUIRE(planning.plan.skipped.size() == 1);
  CHECK(planning.plan.skipped[0].point.at("gpus") == "32");
  CHECK(planning.plan.skipped[0].why.find("takes 32 GPU-hours and lies between 16 and 64 GPUs") !=
        std::string::npos);
  CHECK(planning.plan.jobs.size() == 4);
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    CHECK(planning.run(i).run_id == planning.plan.runs[i].run_id);
    CHECK(planning.run(i).gpus == planning.plan.runs[i].gpus);
  }
}

TEST_CASE("a budget applies to the whole plan and not to a sub-study") {
  test::TempDir dir;
  auto text = study_of("[4]", "max_gpu_hours = 100");
  text.rest = "[[substudy]]\nname = 'a'\n[[substudy]]\nname = 'b'\nmatrix = { gpus = 8 }\n";
  CHECK_NOTHROW(test::plan_texts(text.text(), kSite, dir));
  text.rest += "resources = { max_gpu_hours = 5 }\n";
  CHECK(test::error_of([&] { test::plan_texts(text.text(), kSite, dir); })
            .find("resources.max_gpu_hours: applies to the whole plan; set it in [resources] of "
                  "the study, not in a sub-study") != std::string::npos);
}

TEST_CASE("the option --fit without a limit is a warning") {
  test::TempDir dir;
  const auto text = study_of("[4, 8]", "").text();
  CHECK(test::plan_texts(text, kSite, dir, true).plan.warnings ==
        std::vector<std::string>{"--fit has no effect without a limit (--max-gpu-hours)"});
  CHECK(test::plan_texts(text, kSite, dir).plan.warnings.empty());
}

TEST_CASE("the option --fit reports the cost of the ends if they exceed the limit") {
  test::TempDir dir;
  CHECK(test::error_of([&] {
          test::plan_texts(study_of("[4, 8, 16]", "max_gpu_hours = 19").text(), kSite, dir, true);
        })
            .find("the smallest and largest GPU counts of each curve alone take 20 GPU-hours, but "
                  "the limit is 19") != std::string::npos);
  auto text = study_of("[4, 8, 16]", "max_gpu_hours = 19");
  text.study += "\nbaseline = { gpus = 8 }";
  CHECK(test::error_of([&] {
          test::plan_texts(text.text(), kSite, dir, true);
        }).find("GPU counts of each curve and the baseline of 8 GPUs alone take 28 GPU-hours") !=
        std::string::npos);
}

TEST_CASE("a calibration determines the walltime of each run, and packing uses it") {
  test::TempDir dir;
  base::write_file_atomically(dir / "t.toml",
                              "[[throughput]]\ngpus = 1\nsamples_per_s = 10\n"
                              "[[throughput]]\ngpus = 2\nsamples_per_s = 20\n");
  auto text = study_of("[1, 2]", "calibration = 't.toml'");
  text.study += "\nrepeats = 2";
  text.rest = "[launch]\npack = true";
  const auto planning = test::plan_texts(text.text(), kSite, dir);
  CHECK(planning.plan.runs[0].predicted_s == 600);  // data set of 6,000 digits
  CHECK(planning.plan.runs[0].predicted_low_s < 600);
  CHECK(planning.plan.runs[0].predicted_high_s > 600);
  CHECK(planning.run(0).resources.walltime_s == 17 * 60);
  REQUIRE(planning.plan.jobs.size() == 1);
  CHECK(planning.plan.jobs[0].kind == contract::JobKind::packed);
  // Runs take 1020 s on one GPU and 570 s on two GPUs, and the two wide runs follow each other.
  CHECK(planning.plan.jobs[0].resources.walltime_s == 19 * 60);
  CHECK(planning.plan.warnings.empty());
}

TEST_CASE("predictions outside the measured counts and unsupported settings are warnings") {
  test::TempDir dir;
  base::write_file_atomically(dir / "t.toml", "[[throughput]]\ngpus = 1\nsamples_per_s = 10\n");
  const auto text = study_of("[1, 2]", "calibration = 't.toml'\nqos = 'q'").text();
  const auto planning = test::plan_texts(text, "scheduler = 'local'", dir);
  REQUIRE(planning.plan.warnings.size() == 3);
  CHECK(planning.plan.warnings[0].find("1 point outside the measured GPU counts") == 0);
  CHECK(planning.plan.warnings[1].find("1 point outside the GPU counts of measured runs") == 0);
  CHECK(planning.plan.warnings[1].find("the upper edge of the band") != std::string::npos);
  CHECK(planning.plan.warnings[2] == "resources.qos has no effect on a single machine (site)");
}

TEST_CASE("study.order changes the order of jobs, but not the runs, their ids or their order") {
  const auto plan_of = [](const std::string& order) {
    test::TempDir dir;
    auto text = study_of("[4, 8]", "");
    text.study += "\nrepeats = 2" + order;
    return test::plan_texts(text.text(), kSite, dir).plan;
  };
  const auto by_repetitions = plan_of(""), by_points = plan_of("\norder = 'points'");
  CHECK(by_repetitions.runs == by_points.runs);
  const auto names = [](const contract::Plan& plan) {
    std::vector<std::string> all;
    for (const auto& job : plan.jobs) all.push_back(job.name);
    return all;
  };
  const auto id = [&](std::size_t i) { return by_points.runs[i].run_id; };
  CHECK(id(0).ends_with("-r1"));
  CHECK(id(1).ends_with("-r2"));
  CHECK(names(by_points) == std::vector{id(0), id(1), id(2), id(3)});
  CHECK(names(by_repetitions) == std::vector{id(0), id(2), id(1), id(3)});
  CHECK(names(plan_of("\norder = 'repetitions'")) == names(by_repetitions));
}
