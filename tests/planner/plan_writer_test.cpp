// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

planner::WrittenPlan write(const planner::Planning& planning, const contract::PlanDir& out) {
  return planner::write_plan(planning, test::shipped_resources(), out);
}

}  // namespace

TEST_CASE("a plan folder holds what its readers look for") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  const auto written = write(planning, out);
  CHECK(written.written == 48 + 48 + 3);
  CHECK(contract::plan_from_json(base::read_file(out.plan_json()), "p") == planning.plan);
  CHECK(base::read_file(out.site_toml()) == base::read_file(test::kSource / "sites/local.toml"));
  CHECK(base::read_file(out.study_toml()) ==
        base::read_file(test::kSource / "examples/studies/demo/study.toml"));
  CHECK(fs::is_directory(out.logs()));
  for (const auto& run : test::runs_of(planning)) {
    const auto json = base::read_file(out.run(run.run_id).run_json());
    CHECK(contract::run_spec_from_json(json, "run.json") == run);
    CHECK(::access(out.job_script(run.run_id).c_str(), X_OK) == 0);
  }
}

TEST_CASE("planning again writes nothing") {
  test::TempDir dir;
  for (const auto& [study, site] : {std::pair{"juwels", "juwels-booster"}, {"nef", "nef"}}) {
    const contract::PlanDir out(dir / study);
    const int files = write(test::plan_example(study, site), out).written;
    const auto again = write(test::plan_example(study, site), out);
    CHECK(again.written == 0);
    CHECK(again.unchanged == files);
  }
}

TEST_CASE("changes from the command line are noted in the copy of the study") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  write(test::plan_example("demo", "local", {"matrix.gpus=[1, 2]"}), out);
  CHECK(base::read_file(out.study_toml()).find("#   -S 'matrix.gpus=[1, 2]'\n") <
        base::read_file(out.study_toml()).find("[study]"));
}

TEST_CASE("a run with results keeps its description and is reported stale") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  write(planning, out);
  const std::string id = planning.run(3).run_id;
  out.run(id).make_next_launch();
  const auto json = base::read_file(out.run(id).run_json());
  const auto script = base::read_file(out.job_script(id));
  const auto written =
      write(test::plan_example("demo", "local", {"resources.cores_per_rank=2"}), out);
  CHECK(written.stale == std::vector{id});
  CHECK(base::read_file(out.run(id).run_json()) == json);
  CHECK(base::read_file(out.job_script(id)) == script);
  CHECK(base::read_file(out.run(planning.run(0).run_id).run_json()).find("\"cores_per_rank\": 2") !=
        std::string::npos);
}

TEST_CASE("a broken run.json is written anew even where there are results") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  write(planning, out);
  const auto& run = planning.run(3);
  const auto file = out.run(run.run_id).run_json();
  out.run(run.run_id).make_next_launch();
  for (const char* broken : {"", "{\"run_id\": ", "[]"}) {
    base::write_file_atomically(file, broken);
    CHECK(write(planning, out).stale.empty());
    CHECK(contract::run_spec_from_json(base::read_file(file), "run.json") == run);
  }
  auto newer = run;
  newer.schema_version = 1000;
  base::write_file_atomically(file, contract::to_json(newer));
  CHECK(write(planning, out).stale == std::vector{run.run_id});
}

TEST_CASE("runs that left the study stay on disk but leave plan.json") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto before = test::plan_example("demo", "local");
  write(before, out);
  write(test::plan_example("demo", "local", {"matrix.gpus=[1]"}), out);
  CHECK(contract::plan_from_json(base::read_file(out.plan_json()), "p").runs.size() == 24);
  for (const auto& run : before.plan.runs) CHECK(fs::exists(out.run(run.run_id).run_json()));
}

TEST_CASE("a folder with another study's plan is refused and untouched") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  write(test::plan_example("demo", "local"), out);
  const auto message = test::error_of([&] { write(test::plan_example("nef", "nef"), out); });
  CHECK(message == out.root().string() +
                       " holds the plan of study \"demo\", not of \"nef\"; choose "
                       "another folder with -o");
  base::write_file_atomically(out.plan_json(), "{");
  CHECK_THROWS_AS(write(test::plan_example("demo", "local"), out), base::SpecError);
}

TEST_CASE("a folder that cannot be made is one clear error") {
  test::TempDir dir;
  base::write_file_atomically(dir / "file", "");
  const contract::PlanDir out(dir / "file/p");
  CHECK(test::error_of([&] { write(test::plan_example("demo", "local"), out); }) ==
        "cannot make folder " + out.root().string() + ": Not a directory");
}

TEST_CASE("a value that no directive can hold stops the plan before anything is written") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const std::string site =
      "scheduler = 'slurm'\nwalltime = '01:00:00'\naccount = 'my budget'\n"
      "[[partitions]]\nname = 'p'\n";
  const auto message = test::error_of([&] { write(test::plan_demo_on(site, dir), out); });
  CHECK(message.find("#SBATCH --account: the value 'my budget' holds a space") !=
        std::string::npos);
  CHECK_FALSE(fs::exists(out.root()));
}
