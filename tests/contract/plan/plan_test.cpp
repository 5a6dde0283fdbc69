// SPDX-License-Identifier: Apache-2.0
#include "contract/plan/plan.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/support/any_value.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using namespace dlscale::contract;

namespace {

Plan any_plan(unsigned seed) {
  test::AnyValue any(seed);
  Plan plan;
  plan.study = any.text();
  plan.site = any.text();
  plan.scheduler = any.one_of({"local", "slurm", "oar"});
  if (any.flag()) {
    plan.origin = {any.text(), any.list([&] { return any.text(); }),
                   any.list([&] { return any.text(); })};
  }
  plan.baseline = {"gpus", static_cast<int>(any.whole(1, 64))};
  plan.repeats = static_cast<int>(any.whole(1, 10));
  plan.axes = any.list([&] { return Axis{any.text(), any.list([&] { return any.text(); })}; });
  plan.runs = any.list([&] {
    PlannedRun run{any.text(), 1, any.table(), any.list([&] { return any.text(); }), any.text()};
    run.log_format = any.flag() ? any.text() : "";
    run.gpus = static_cast<int>(any.whole(1, 99));
    run.batch_per_gpu = any.whole(1, 99);
    run.lr_peak = any.number();
    run.predicted_s = any.flag() ? any.positive() : 0;
    run.predicted_low_s = any.flag() ? any.positive() : 0;
    run.predicted_high_s = any.flag() ? any.positive() : 0;
    run.gpu_hours = any.number();
    run.stale = any.flag();
    return run;
  });
  plan.jobs = any.list([&] {
    PlannedJob job{any.text(), any.list([&] { return any.text(); }), {}};
    job.kind = static_cast<JobKind>(any.whole(0, 2));
    job.table = any.text();
    job.chain = static_cast<int>(any.whole(0, 9));
    job.after = any.list([&] { return any.text(); });
    return job;
  });
  plan.skipped = any.list([&] { return SkippedPoint{any.table(), any.text()}; });
  plan.warnings = any.list([&] { return any.text(); });
  return plan;
}

}  // namespace

TEST_CASE("every plan survives being written and read") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Plan plan = any_plan(seed);
    REQUIRE(plan_from_json(to_json(plan), "plan.json") == plan);
  }
}

TEST_CASE("a plan has a line for each run, job and skipped point") {
  Plan plan{.study = "s", .site = "x", .scheduler = "local"};
  plan.runs = {{.run_id = "a"}, {.run_id = "b", .substudies = {"one"}}};
  plan.warnings = {"w"};
  CHECK(to_json(plan) == R"({
 "schema_version": 1,
 "study": "s",
 "scaling": "",
 "site": "x",
 "scheduler": "local",
 "baseline": {
  "rule": "smallest-common",
  "gpus": 0
 },
 "repeats": 1,
 "axes": [],
 "runs": [
  {"run_id":"a","repetition":1,"point":{},"job":"","gpus":1,)"
                         R"("batch_per_gpu":0,"global_batch":0,"gpu_hours":0.0},
  {"run_id":"b","repetition":1,"point":{},"substudies":["one"],"job":"","gpus":1,)"
                         R"("batch_per_gpu":0,"global_batch":0,"gpu_hours":0.0}
 ],
 "jobs": [],
 "skipped": [],
 "warnings": [
  "w"
 ]
}
)");
}

TEST_CASE("the study of a plan is read without its runs, and broken plans are rejected") {
  const Plan plan = any_plan(7);
  CHECK(study_of_plan(to_json(plan), "p") == plan.study);
  CHECK_THROWS_WITH(study_of_plan("{\"study\": \"s\",\n", "p"),
                    "p:2:1: not valid JSON: the text ends too early");
  CHECK_THROWS_WITH(study_of_plan(R"({"schema_version":1,"runs":[{"study":"s"}]})", "p"),
                    "p: study: missing");
  CHECK_THROWS_WITH(
      study_of_plan(R"({"schema_version":7,"study":"s"})", "p"),
      "p: schema_version: is 7, but this build supports at most 1; use a newer dlscale");
}

TEST_CASE("the head of a plan contains the study file and the changes of the plan") {
  const test::TempDir dir;
  const PlanDir folder(dir.path());
  CHECK_FALSE(find_plan_head(folder));
  Plan plan = any_plan(3);
  plan.origin = {"/home/study.toml", {"training.epochs=2"}, {"train.py"}};
  plan.until = {0.05, 3};
  base::write_file_atomically(folder.plan_json(), to_json(plan));
  const PlanHead head = find_plan_head(folder).value();
  CHECK(head.study == plan.study);
  CHECK(head.origin == plan.origin);
  CHECK(head.until == plan.until);
  plan.origin = {};
  base::write_file_atomically(folder.plan_json(), to_json(plan));
  CHECK(find_plan_head(folder)->origin == PlanOrigin{});
  base::write_file_atomically(folder.plan_json(), "{");
  CHECK_FALSE(find_plan_head(folder));
}

TEST_CASE("a broken plan is rejected with the location of the error") {
  CHECK_THROWS_WITH(plan_from_json("{\"schema_version\": 1}", "p/plan.json"),
                    "p/plan.json: study: missing");
  CHECK_THROWS_WITH(
      plan_from_json(
          R"({"schema_version":1,"study":"s","site":"x","scheduler":"local","runs":[{}],"jobs":[]})",
          "plan.json"),
      "plan.json: runs[0].run_id: missing");
  Plan newer;
  newer.schema_version = 7;
  CHECK_THROWS_WITH(
      plan_from_json(to_json(newer), "plan.json"),
      "plan.json: schema_version: is 7, but this build supports at most 1; use a newer dlscale");
}

TEST_CASE("a damaged plan is reported with the fault and the command that rewrites it") {
  const test::TempDir folder;
  const PlanDir plan(folder.path());
  CHECK_FALSE(find_plan(plan));
  const std::string file = plan.plan_json(), root = plan.root();
  const std::string again = "; run dlscale plan STUDY -o " + root +
                            " to write the plan again (runs and results are kept)";
  Plan newer;
  newer.schema_version = 7;
  const std::pair<std::string, std::string> damaged[] = {
      {to_json(Plan{}).substr(0, 20), ":2:19: not valid JSON: the text ends too early"},
      {"no JSON", ":1:2: not valid JSON"},
      {to_json(newer),
       ": schema_version: is 7, but this build supports at most 1; use a newer dlscale"}};
  for (const auto& [text, what] : damaged) {
    base::write_file_atomically(plan.plan_json(), text);
    CHECK_THROWS_WITH(read_plan(plan), file + what + again);
    CHECK_FALSE(find_plan(plan));
  }
  base::write_file_atomically(plan.plan_json(), to_json(Plan{.study = "s"}));
  CHECK(find_plan(plan)->study == "s");
}

TEST_CASE("runs without a log format and runs of the format dlscale write records") {
  CHECK(writes_records({}));
  CHECK(writes_records({.log_format = "dlscale"}));
  CHECK_FALSE(writes_records({.log_format = "timm"}));
  CHECK(log_format_name({}) == "dlscale");
  CHECK(log_format_name({.log_format = "timm"}) == "timm");
}
