// SPDX-License-Identifier: Apache-2.0
// Tests of job scripts that start again after some of their runs have completed.
#include <catch2/catch.hpp>

#include "contract/records/result_record.hpp"
#include "tests/planner/script_bench.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

/// Writes the end of the first launch of a run: its results, or a record of its job script.
void leave_end(const test::ScriptBench& bench, std::size_t i, contract::RunOutcome outcome) {
  const std::string id = bench.run_id(i);
  fs::create_directories(bench.out.run(id).root());
  const contract::LaunchDir launch = bench.out.run(id).make_next_launch();
  if (bench.trainer.command.empty()) {
    contract::RunStop stop;
    stop.outcome = outcome;
    base::write_file_atomically(launch.results(), contract::to_json_line(stop) + "\n");
    return;
  }
  const int code = outcome == contract::RunOutcome::Completed ? 0 : 1;
  base::write_file_atomically(bench.out.run_notes(id),
                              R"({"event":"ended","job":"j","run_id":")" + id +
                                  R"(","job_id":"1","time":1,"exit_code":)" + std::to_string(code) +
                                  "}\n");
}

}  // namespace

TEST_CASE("resubmitting a job of several runs trains only the remaining runs") {
  for (const char* launch : {"pack = true", "array = true"}) {
    for (const bool external : {false, true}) {
      test::ScriptBench bench;
      bench.study.rest = std::string("[launch]\n") + launch;
      const std::string note = "; echo >> " + (bench.dir / "trained").string();
      bench.program("mpirun", ":" + note);
      if (external) bench.trainer = {.command = "true" + note};
      bench.plan();
      REQUIRE(bench.planning.plan.jobs.size() == 1);
      leave_end(bench, 0, contract::RunOutcome::Failed);
      leave_end(bench, 1, contract::RunOutcome::Completed);
      const bool array = bench.planning.plan.jobs[0].kind == contract::JobKind::array;
      const auto result = test::run_bash(
          array ? bench.script() + "; SLURM_ARRAY_TASK_ID=1 " + bench.script() : bench.script());
      INFO(launch << (external ? " external\n" : "\n") << result.out);
      CHECK(result.exit_code == 0);
      CHECK(bench.text("trained") == "\n");
      const std::string said =
          array ? base::read_file(bench.out.job_out(bench.run_id(1))) : result.out;
      CHECK(said == bench.run_id(1) + " has completed before: nothing to do\n");
      CHECK(bench.out.run(bench.run_id(0)).launches().size() == (external ? 2 : 1));
      CHECK(bench.out.run(bench.run_id(1)).launches().size() == 1);
      CHECK(bench.ends().back().exit_code == 0);
    }
  }
}

TEST_CASE("a single job with a completed run does not train when it starts again") {
  for (const bool external : {false, true}) {
    test::ScriptBench bench;
    const std::string note = "; echo >> " + (bench.dir / "trained").string();
    bench.program("mpirun", ":" + note);
    if (external) bench.trainer = {.command = "true" + note};
    bench.plan();
    leave_end(bench, 0, contract::RunOutcome::Completed);
    const auto again = test::run_bash(bench.script());
    CHECK(again.exit_code == 0);
    CHECK(again.out == bench.run_id(0) + " has completed before: nothing to do\n");
    CHECK_FALSE(std::filesystem::exists(bench.dir / "trained"));
  }
}

TEST_CASE("runs of other names and runs ended by a signal do not count as completed") {
  test::ScriptBench bench;
  bench.study.rest = "[launch]\npack = true";
  bench.trainer = {.command = "true"};
  bench.plan();
  const std::string id = bench.run_id(0);
  const auto end = [&](const std::string& run, const std::string& rest) {
    return R"({"event":"ended","job":"j","run_id":")" + run + R"(","job_id":"1","time":1,)" + rest +
           "}\n";
  };
  base::write_file_atomically(bench.out.run_notes("x" + id), end("x" + id, "\"exit_code\":0"));
  base::write_file_atomically(
      bench.out.run_notes(id),
      end(id, "\"exit_code\":0,\"reason\":\"got SIGUSR1\"") + end(id, "\"exit_code\":10"));
  const auto result = test::run_bash(bench.script());
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(bench.out.run(id).launches().size() == 1);
  CHECK(test::run_bash(bench.script()).out.find(id + " has completed before") == 0);
  CHECK(bench.out.run(id).launches().size() == 1);
}

TEST_CASE("a completed run starts again in the submission that repeats it") {
  for (const char* launch : {"pack = true", "array = true", "array = false"}) {
    test::ScriptBench bench;
    bench.study.rest = std::string("[launch]\n") + launch;
    bench.trainer = {.command = "true"};
    bench.plan();
    const std::string id = bench.run_id(0);
    for (std::size_t i = 0; i < 2; ++i) leave_end(bench, i, contract::RunOutcome::Completed);
    const contract::LaunchRecord record{.event = "submitting",
                                        .job = bench.planning.plan.jobs[0].name,
                                        .launch = "again",
                                        .runs = bench.planning.plan.jobs[0].run_ids,
                                        .repeat = {id}};
    base::write_file_atomically(bench.out.launch_log(), to_json_line(record) + "\n");
    INFO(launch);
    const auto launches = [&](std::size_t i) {
      return bench.out.run(bench.run_id(i)).launches().size();
    };
    CHECK(test::run_bash(bench.script() + " other").exit_code == 0);
    CHECK(launches(0) == 1);
    const auto result = test::run_bash(bench.script() + " again");
    INFO(result.out);
    CHECK(result.exit_code == 0);
    CHECK(launches(0) == 2);
    CHECK(launches(1) == 1);
  }
}

TEST_CASE("a run whose last launch failed is not completed") {
  test::ScriptBench bench;
  bench.trainer = {.command = "true"};
  bench.plan();
  const std::string id = bench.run_id(0);
  const auto end = [&](int code) {
    return R"({"event":"ended","job":"j","run_id":")" + id + R"(","job_id":"1","time":1,)" +
           "\"exit_code\":" + std::to_string(code) + "}\n";
  };
  base::write_file_atomically(bench.out.run_notes(id), end(0) + end(1));
  CHECK(test::run_bash(bench.script()).exit_code == 0);
  CHECK(bench.out.run(id).launches().size() == 1);
}
