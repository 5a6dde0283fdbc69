// SPDX-License-Identifier: Apache-2.0
#include "planner/output/plan_diff.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

/// Plan of the demo study in a folder.
struct DemoPlan {
  test::TempDir dir;
  contract::PlanDir out{dir / "p"};
  DemoPlan() { write(plan()); }
  planner::Planning plan(const std::vector<std::string>& overrides = {}) const {
    return test::plan_example("demo", "local", overrides);
  }
  void write(const planner::Planning& planning) const {
    planner::write_plan(planning, test::shipped_resources(), out);
  }
  planner::PlanDiff diff(const std::vector<std::string>& overrides = {}) const {
    return planner::diff_plan(plan(overrides), out);
  }
  /// Returns the time at which each file was written.
  std::map<fs::path, fs::file_time_type> times() const {
    std::map<fs::path, fs::file_time_type> times;
    for (const auto& entry : fs::recursive_directory_iterator(out.root())) {
      if (entry.is_regular_file()) times[entry.path()] = entry.last_write_time();
    }
    return times;
  }
};

}  // namespace

TEST_CASE("a new axis value adds exactly its points and changes no other files") {
  const DemoPlan demo;
  const std::size_t before = demo.plan().plan.runs.size();
  const std::vector<std::string> change{"matrix.lr_schedule=['step', 'cosine', 'exponential']"};
  const auto planning = demo.plan(change);
  const auto diff = planner::diff_plan(planning, demo.out);
  REQUIRE(planning.plan.runs.size() > before);
  CHECK(diff.added.size() == planning.plan.runs.size() - before);
  CHECK(diff.unchanged.size() == before);
  CHECK(diff.removed.empty());
  CHECK(diff.changed.empty());
  CHECK(diff.stale.empty());
  for (const auto& run : diff.added) CHECK(run.run_id.find("-exponential-") != std::string::npos);
  const auto times = demo.times();
  demo.write(planning);
  const auto now = demo.times();
  for (const auto& [file, time] : times) {
    INFO(file);
    const bool describes_the_plan = file == demo.out.plan_json() || file == demo.out.study_toml() ||
                                    file == demo.out.fingerprint();
    CHECK((now.at(file) != time) == describes_the_plan);
  }
  CHECK(now.size() == times.size() + 2 * diff.added.size());
}

TEST_CASE("runs that left the study are listed as removed with their GPU-hours") {
  const DemoPlan demo;
  const std::string hour = "resources.walltime='1:00:00'";
  demo.write(demo.plan({hour}));
  const auto diff = demo.diff({hour, "matrix.gpus=[1]"});
  CHECK(diff.removed.size() == 24);
  CHECK(diff.unchanged.size() == 24);
  CHECK(planner::total_gpu_hours(diff.removed) == 24 * 2);  // 2 GPUs for an hour each
}

TEST_CASE("a change of resources changes runs, and runs with results become stale") {
  const DemoPlan demo;
  const std::string id = demo.plan().plan.runs[3].run_id;
  demo.out.run(id).make_next_launch();
  const auto diff = demo.diff({"resources.cores_per_rank=2"});
  CHECK(diff.changed.size() == 47);
  CHECK(diff.changed[0].keys == std::vector<std::string>{"resources.cores_per_rank"});
  REQUIRE(diff.stale.size() == 1);
  CHECK(diff.stale[0].run_id == id);
  CHECK(diff.stale[0].keys == std::vector<std::string>{"resources.cores_per_rank"});
}

TEST_CASE("another time limit does not change a run that has started") {
  const DemoPlan demo;
  const std::string id = demo.plan().plan.runs[3].run_id;
  demo.out.run(id).make_next_launch();
  const auto diff = demo.diff({"resources.walltime='01:00:00'"});
  CHECK(diff.changed.size() == 47);
  CHECK(diff.stale.empty());
  REQUIRE(diff.unchanged.size() == 1);
  CHECK(diff.unchanged[0].run_id == id);
}

TEST_CASE("a missing or malformed run.json is a change") {
  const DemoPlan demo;
  const auto runs = demo.plan().plan.runs;
  fs::remove(demo.out.run(runs[0].run_id).run_json());
  base::write_file_atomically(demo.out.run(runs[1].run_id).run_json(), "{\"gpus\": ");
  const auto diff = demo.diff();
  REQUIRE(diff.changed.size() == 2);
  for (const auto& run : diff.changed) CHECK(run.keys == std::vector<std::string>{"run.json"});
}

TEST_CASE("without a plan all runs are new, and the plan of another study is rejected") {
  const DemoPlan demo;
  const test::TempDir dir;
  CHECK(planner::diff_plan(demo.plan(), contract::PlanDir(dir / "x")).added.size() == 48);
  CHECK(test::error_of([&] { planner::diff_plan(test::plan_example("nef", "nef"), demo.out); }) ==
        demo.out.root().string() + " holds the plan of study \"demo\", not of \"nef\"");
}
