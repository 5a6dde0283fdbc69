// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "tests/planner/planned.hpp"
#include "tests/planner/script_bench.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

planner::WrittenPlan write(const planner::Planning& planning, const contract::PlanDir& out) {
  return planner::write_plan(planning, test::shipped_resources(), out);
}

std::string line_of(const std::string& text, std::size_t number) {
  std::size_t start = 0;
  for (; number > 0; --number) start = text.find('\n', start) + 1;
  return text.substr(start, text.find('\n', start) - start);
}

std::size_t index_of(const planner::Planning& planning, const std::string& run_id) {
  const auto& runs = planning.plan.runs;
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&](const auto& run) { return run.run_id == run_id; });
  return static_cast<std::size_t>(found - runs.begin());
}

}  // namespace

TEST_CASE("a plan folder contains the files that its readers need") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  const auto written = write(planning, out);
  CHECK(written.written == 48 + 48 + 4);
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

TEST_CASE("planning an unchanged study again writes no files") {
  test::TempDir dir;
  for (const auto& [study, site] : {std::pair{"juwels", "juwels-booster"}, {"nef", "nef"}}) {
    const contract::PlanDir out(dir / study);
    const int files = write(test::plan_example(study, site), out).written;
    const auto again = write(test::plan_example(study, site), out);
    CHECK(again.written == 0);
    CHECK(again.unchanged == files);
  }
}

TEST_CASE("files that were changed by hand are detected and rewritten") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  write(planning, out);
  const std::string id = planning.plan.runs[5].run_id;
  const fs::path script = out.job_script(id), json = out.run(id).run_json();
  const auto notices = [&](const fs::path& file, const std::string& change) {
    const std::string right = base::read_file(file);
    base::write_file_atomically(file, change);
    const auto written = write(planning, out);
    CHECK(base::read_file(file) == right);
    return written.written == 1 && written.unchanged == 48 + 48 + 4 - 1;
  };
  for (const fs::path& file : {script, json, out.plan_json(), out.study_toml(), out.site_toml(),
                               out.inherited_variables()}) {
    INFO(file);
    std::string text = base::read_file(file);
    CHECK(notices(file, text.substr(0, text.size() / 2) + text.substr(text.size() / 2 + 1)));
    CHECK(notices(file, text + "\n"));
    text[text.size() - 3] ^= 1;  // changes the content but not the size
    if (file != out.plan_json()) CHECK(notices(file, text));
  }
  CHECK(notices(json, ""));
  fs::permissions(script, fs::perms(0644));
  CHECK(write(planning, out).written == 1);
  CHECK(::access(script.c_str(), X_OK) == 0);
  fs::remove_all(out.run(id).root());
  CHECK(write(planning, out).written == 1);
}

TEST_CASE("an edit in place that keeps the size and time of a file is detected") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  write(planning, out);
  REQUIRE(write(planning, out).written == 0);
  const fs::path json = out.run(planning.plan.runs[5].run_id).run_json();
  const std::string right = base::read_file(json);
  const auto time = fs::last_write_time(json);
  std::fstream(json).put(' ');
  fs::last_write_time(json, time);
  REQUIRE(base::read_file(json).size() == right.size());
  CHECK(write(planning, out).written == 1);
  CHECK(base::read_file(json) == right);
}

TEST_CASE("a changed template is detected") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  auto resources = test::shipped_resources();
  fs::copy(resources.templates, dir / "templates");
  resources.templates = dir / "templates";
  const auto planning = test::plan_example("demo", "local");
  planner::write_plan(planning, resources, out);
  const fs::path part = dir / "templates/body.mustache";
  base::write_file_atomically(part, base::read_file(part) + "# more\n");
  CHECK(planner::write_plan(planning, resources, out).written == 48);
}

TEST_CASE("the files that planning would write are counted without writing them") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  CHECK(planner::check_plan(planning, test::shipped_resources(), out).written == 48 + 48 + 4);
  CHECK_FALSE(fs::exists(out.root()));
  write(planning, out);
  CHECK(planner::check_plan(planning, test::shipped_resources(), out).unchanged == 48 + 48 + 4);
}

TEST_CASE("the table of an array has one run.json per line in the order of the tasks") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const std::string site =
      "scheduler = 'oar'\nwalltime = '01:00:00'\nmax_array_size = 5\n[[partitions]]\nname = 'p'\n"
      "cores_per_node = 4\n";
  const auto planning = test::plan_demo_on(site, dir, {"launch.array=true"});
  write(planning, out);
  std::size_t runs = 0;
  for (const contract::PlannedJob& job : planning.plan.jobs) {
    REQUIRE(job.kind == contract::JobKind::array);
    const std::string table = base::read_file(out.run_table(job.table));
    const std::string numbers = base::read_file(out.array_parameters(job.name));
    for (std::size_t i = 0; i < job.run_ids.size(); ++i, ++runs) {
      const auto line = static_cast<std::size_t>(job.offset) + i;
      const auto run = contract::run_spec_from_json(line_of(table, line), "table");
      CHECK(run == planning.run(index_of(planning, job.run_ids[i])));
      CHECK(line_of(numbers, i) == std::to_string(line + 1));
    }
  }
  CHECK(runs == 48);
  CHECK(planning.plan.jobs.size() >= 48 / 5);
  CHECK(fs::is_empty(out.runs()));
  CHECK(write(planning, out).written == 0);
  base::write_file_atomically(out.run_table(planning.plan.jobs[0].table), "");
  CHECK(write(planning, out).written == 1);
}

TEST_CASE("a run with results is not stale if only the layout of its run.json differs") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  write(planning, out);
  const auto run = planning.run(3);
  out.run(run.run_id).make_next_launch();
  base::write_file_atomically(out.run(run.run_id).run_json(), contract::to_json_line(run) + "\n");
  const auto written = write(planning, out);
  CHECK(written.stale.empty());
  CHECK(written.written == 0);
}

TEST_CASE("the copy of an extending study plans the same runs without its base") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = planner::make_plan(
      {test::kSource / "examples/studies/nef/cpu.toml", "nef-cpu", {"study.repeats=1"}},
      test::shipped_resources());
  write(planning, out);
  const auto again =
      planner::make_plan({out.study_toml(), "nef-cpu", {}}, test::shipped_resources());
  CHECK(again.plan.runs == planning.plan.runs);
}

TEST_CASE("changes from the command line are recorded in the copy of the study") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  write(test::plan_example("demo", "local", {"matrix.gpus=[1, 2]"}), out);
  CHECK(base::read_file(out.study_toml()).find("#   -S 'matrix.gpus=[1, 2]'\n") <
        base::read_file(out.study_toml()).find("[study]"));
}

TEST_CASE("a run with results keeps its description and is reported as stale") {
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

TEST_CASE("a run with results keeps its time limit and does not become stale") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  write(planning, out);
  const std::string id = planning.run(3).run_id;
  out.run(id).make_next_launch();
  const auto json = base::read_file(out.run(id).run_json());
  const auto longer = test::plan_example("demo", "local", {"resources.walltime='01:00:00'"});
  CHECK(write(longer, out).stale.empty());
  CHECK(base::read_file(out.run(id).run_json()) == json);
  CHECK(base::read_file(out.run(planning.run(0).run_id).run_json()) != json);
  CHECK(write(longer, out).written == 0);
}

TEST_CASE("a malformed run.json is rewritten even if the run has results") {
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

TEST_CASE("partial files of a killed plan are removed by the next plan") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const auto planning = test::plan_example("demo", "local");
  write(planning, out);
  CHECK_FALSE(fs::exists(out.incomplete_marker()));
  const pid_t killed = ::fork();
  if (killed == 0) ::_exit(0);
  REQUIRE(::waitpid(killed, nullptr, 0) == killed);
  const std::string ending = base::part_ending(killed);
  const fs::path left[] = {out.plan_json().string() + ending, out.jobs() / ("a.sh" + ending),
                           out.run(planning.plan.runs[0].run_id).run_json().string() + ending};
  for (const fs::path& part : left) std::ofstream(part) << "half";
  write(planning, out);
  // The files stay, because no marker says that the plan is incomplete.
  for (const fs::path& part : left) CHECK(fs::exists(part));
  std::ofstream(out.incomplete_marker()) << "";
  write(planning, out);
  for (const fs::path& part : left) CHECK_FALSE(fs::exists(part));
  CHECK_FALSE(fs::exists(out.incomplete_marker()));
}

TEST_CASE("a folder with the plan of another study is rejected and not changed") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  write(test::plan_example("demo", "local"), out);
  const auto message = test::error_of([&] { write(test::plan_example("nef", "nef"), out); });
  CHECK(message == out.root().string() +
                       " holds the plan of study \"demo\", not of \"nef\"; choose "
                       "another folder with -o");
  base::write_file_atomically(out.plan_json(), "{");
  CHECK(test::error_of([&] { write(test::plan_example("nef", "nef"), out); }) == message);
  write(test::plan_example("demo", "local"), out);
  CHECK(contract::read_plan(out).study == "demo");
}

TEST_CASE("a folder that cannot be created is one error") {
  test::TempDir dir;
  base::write_file_atomically(dir / "file", "");
  const contract::PlanDir out(dir / "file/p");
  CHECK(test::error_of([&] { write(test::plan_example("demo", "local"), out); }) ==
        "cannot make folder " + out.root().string() + ": Not a directory");
}

TEST_CASE("an invalid directive value stops the plan before any file is written") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  const std::string site =
      "scheduler = 'slurm'\nwalltime = '01:00:00'\naccount = 'my budget'\n"
      "[[partitions]]\nname = 'p'\n";
  const auto message = test::error_of([&] { write(test::plan_demo_on(site, dir), out); });
  CHECK(message.find("account: the value 'my budget' contains a space") != std::string::npos);
  CHECK_FALSE(fs::exists(out.root()));
}

TEST_CASE("a failed plan does not change the folder of an earlier plan") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "deep/p");
  const std::string site =
      "scheduler = 'slurm'\nwalltime = '01:00:00'\n[[partitions]]\nname = 'p'\n";
  const auto files = [&] {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(dir / "deep")) {
      if (entry.is_regular_file()) found[entry.path()] = base::read_file(entry.path());
    }
    return found;
  };
  CHECK_FALSE(test::error_of([&] {
                write(test::plan_demo_on("account = 'a b'\n" + site, dir), out);
              }).empty());
  CHECK_FALSE(fs::exists(dir / "deep"));
  write(test::plan_demo_on(site, dir), out);
  const auto before = files();
  CHECK(before.size() > 90);
  CHECK_FALSE(test::error_of([&] {
                write(test::plan_demo_on("account = 'a b'\n" + site, dir), out);
              }).empty());
  CHECK(files() == before);
}

TEST_CASE("replanning keeps the tables and scripts of queued tasks") {
  test::TempDir dir;
  const contract::PlanDir out(dir / "p");
  for (const char* launch : {"launch.array=true", "launch.pack=true"}) {
    const std::string gpus = "matrix.gpus=[2, 4]";
    const std::string site =
        "scheduler = 'oar'\nwalltime = '01:00:00'\n[[partitions]]\nname = 'p'\n"
        "cores_per_node = 8\nmax_walltime = '10:00:00'\n";
    const auto before = test::plan_demo_on(site, dir, {launch, gpus});
    write(before, out);
    std::map<fs::path, std::string> files;
    for (const contract::PlannedJob& job : before.plan.jobs) {
      CHECK(job.kind != contract::JobKind::single);
      files[out.job_script(job.name)] = base::read_file(out.job_script(job.name));
      if (job.kind != contract::JobKind::array) continue;
      for (const fs::path& file : {out.run_table(job.table), out.array_parameters(job.name)}) {
        files[file] = base::read_file(file);
      }
    }
    write(test::plan_demo_on(site, dir, {launch, gpus, "matrix.batch_per_gpu=[16, 32, 64]"}), out);
    write(test::plan_demo_on(site, dir, {launch, gpus, "matrix.batch_per_gpu=[64]"}), out);
    for (const auto& [file, text] : files) CHECK(base::read_file(file) == text);
  }
}

TEST_CASE("a packed job with a stale run is written if it also has new runs") {
  test::ScriptBench bench;
  bench.study.matrix = "model = 'mlp'\ngpus = 1\nbatch_per_gpu = [32, 64]";
  bench.study.rest = "[launch]\npack = true";
  bench.partition_keys = "max_walltime = '10:00:00'";
  bench.plan();
  const auto stale = bench.out.run(bench.run_id(0));
  const std::string json = base::read_file(stale.run_json());
  stale.make_next_launch();
  bench.study.matrix = "model = 'mlp'\ngpus = 1\nbatch_per_gpu = [32, 64, 128]";
  bench.study.resources = "cores_per_rank = 2";
  bench.plan();
  REQUIRE(bench.planning.plan.jobs.size() == 1);
  const std::string script =
      base::read_file(bench.out.job_script(bench.planning.plan.jobs[0].name));
  for (std::size_t i = 0; i < 3; ++i) CHECK(script.find(bench.run_id(i)) != std::string::npos);
  CHECK(base::read_file(stale.run_json()) == json);
}
