// SPDX-License-Identifier: Apache-2.0
// Conformance tests of the life of a job from submission to accounting.
#include "tests/schedulers/conformance/bench.hpp"

using namespace dlscale;
using test::Bench;
using test::Job;
using test::JobId;
using test::JobState;
using test::JobStatus;

TEST_CASE("a job goes from submission through running to its exit code") {
  Bench bench;
  const double before = bench.clock.unix_s();
  const Job job = bench.job("a",
                            "echo out; echo err >&2; until [[ -e go ]]; do sleep 0.1; done\n"
                            "echo \"$1 $OAR_JOB_NAME\"; exit 3");
  const JobId id = bench.submit(job).id;
  const JobStatus running = bench.wait_for(id, JobState::Running);
  CHECK_FALSE(running.exit_code.has_value());
  CHECK(running.nodes.size() == 1);
  CHECK(running.started_at >= before - 2);
  CHECK(running.ended_at == 0);
  bench.touch("go");
  const JobStatus end = bench.wait_for_end(id);
  CHECK(end.state == JobState::Failed);
  CHECK(end.exit_code == 3);
  CHECK(end.signal == 0);
  CHECK(end.ended_at >= end.started_at);
  CHECK(end.nodes == running.nodes);
  bench.wait_until([&] { return bench.text("a.out").find(job.launch) != std::string::npos; });
  CHECK(bench.text("a.out").starts_with("out\n"));
  CHECK(bench.text("a.err").find("err\n") != std::string::npos);
}

TEST_CASE("the status of many jobs is returned at once and in order") {
  Bench bench;
  std::vector<JobId> ids;
  for (const int code : {0, 7, 0, 9}) {
    const std::string name = "job" + std::to_string(ids.size());
    ids.push_back(bench.submit(bench.job(name, "exit " + std::to_string(code))).id);
  }
  std::reverse(ids.begin(), ids.end());
  const auto ends = bench.wait_for_end(ids);
  CHECK(ends[0].exit_code == 9);
  CHECK(ends[1].state == JobState::Done);
  CHECK(ends[2].exit_code == 7);
  CHECK(ends[3].exit_code == 0);
}

TEST_CASE("a script that is killed by a signal has failed with that signal") {
  Bench bench;
  const JobStatus end = bench.wait_for_end(bench.submit(bench.job("a", "kill -SEGV $$")).id);
  CHECK(end.state == JobState::Failed);
  CHECK(end.signal == 11);
  CHECK_FALSE(end.exit_code.has_value());
}

TEST_CASE("a script with parallel processes ends with its own exit code") {
  Bench bench;
  const JobStatus end = bench.wait_for_end(
      bench
          .submit(bench.job("packed",
                            "code=0; (sleep 0.2; exit 4) & (sleep 0.1) &\n"
                            "for run in $(jobs -p); do wait $run || code=$?; done\n"
                            "exit $code"))
          .id);
  CHECK(end.exit_code == 4);
}

TEST_CASE("a job starts after its dependencies have ended, even if they failed") {
  Bench bench;
  const JobId a =
      bench.submit(bench.job("a", "until [[ -e go ]]; do sleep 0.1; done; echo a >>order; exit 1"))
          .id;
  Job second = bench.job("b", "echo b >>order");
  second.after = {a};
  const JobId b = bench.submit(second).id;
  bench.wait_for(a, JobState::Running);
  CHECK(bench.status(b).state == JobState::Queued);
  CHECK(bench.status(b).nodes.empty());
  bench.touch("go");
  CHECK(bench.wait_for_end(b).state == JobState::Done);
  CHECK(bench.text("order") == "a\nb\n");
}

TEST_CASE("a submission is found by its token while it waits, runs and after its end") {
  Bench bench;
  const Job first = bench.job("a", "touch ready; until [[ -e go ]]; do sleep 0.1; done");
  const JobId a = bench.submit(first).id;
  bench.wait_for_file("ready");
  Job second = bench.job("b", "true");
  second.name = first.name;  // the job of another plan may have the same name
  second.after = {a};
  const JobId b = bench.submit(second).id;
  bench.wait_for(a, JobState::Running);
  const auto stranger = bench.another();
  CHECK(stranger->find(first).value().id == a);
  // On a machine without a batch system a program cannot find the waiting jobs of another program.
  CHECK((bench.is("local") ? *bench.scheduler : *stranger).find(second).value().id == b);
  bench.touch("go");
  bench.wait_for_end({a, b});
  CHECK(bench.scheduler->find(first).value().id == a);
  CHECK(bench.scheduler->find(second).value().id == b);
}

TEST_CASE("a job that was never submitted is not found, and its id is lost") {
  Bench bench;
  const Job job = bench.job("a", "true");
  CHECK_FALSE(bench.scheduler->find(job).has_value());
  const JobId unknown = "4711";
  CHECK(bench.status(unknown).state == JobState::Lost);
  CHECK_FALSE(bench.scheduler->usage({unknown}).at(0).elapsed_s.has_value());
  CHECK_NOTHROW(bench.scheduler->cancel({unknown}));
  CHECK_NOTHROW(bench.scheduler->hold({unknown}));
  CHECK_NOTHROW(bench.scheduler->release({unknown}));
  CHECK_NOTHROW(bench.scheduler->signal({unknown}, 10));
  CHECK(bench.scheduler->status({}).empty());
}

TEST_CASE("an impossible job is rejected with a reason", "[batch]") {
  Bench bench;
  const Job job = bench.job(
      "a", "true", bench.is("slurm") ? "#SBATCH --mem=900G" : "#OAR -p no_such_property=1");
  try {
    bench.submit(job);
    FAIL("it was taken");
  } catch (const runner::SchedulerUnreachable&) {
    FAIL("it should be known to be refused");
  } catch (const base::RunError& error) {
    CHECK_THAT(error.what(), Catch::StartsWith("job a was rejected: "));
    CHECK(std::string(error.what()).size() > 30);
  }
  CHECK_FALSE(bench.scheduler->find(job).has_value());
}

TEST_CASE("an array is rejected by a scheduler without arrays") {
  Bench bench;
  if (!bench.is("local")) return;
  CHECK_THROWS_WITH(bench.submit(bench.array("a", {0, 1}, "true")),
                    Catch::StartsWith("job a is a job array, which needs a batch system"));
}

TEST_CASE("only the chosen tasks of an array run, and each has an id and an end", "[batch]") {
  Bench bench;
  const Job job = bench.array("a", {3, 0, 2}, "echo $task >>ran; exit $task");
  const auto submitted = bench.submit(job);
  REQUIRE(submitted.tasks.size() == 3);
  const auto ends = bench.wait_for_end(submitted.tasks);
  CHECK(ends[0].exit_code == 3);
  CHECK(ends[1].exit_code == 0);
  CHECK(ends[2].exit_code == 2);
  std::string ran = bench.text("ran");
  std::sort(ran.begin(), ran.end());
  CHECK(ran == "\n\n\n023");
  const auto found = bench.another()->find(job);
  REQUIRE(found.has_value());
  CHECK(found->id == submitted.id);
  CHECK(found->tasks == submitted.tasks);
}

TEST_CASE("a job that comes after an array waits for all of its tasks", "[batch]") {
  Bench bench;
  const auto array =
      bench.submit(bench.array("a", {0, 1}, "[[ $task = 0 ]] || sleep 2; echo $task >>order"));
  Job last = bench.job("b", "echo b >>order");
  last.after = {array.id};
  bench.wait_for_end(bench.submit(last).id);
  CHECK(bench.text("order") == "0\n1\nb\n");
}

TEST_CASE("the accounting reports the time and memory of a job") {
  Bench bench;
  const JobId id = bench
                       .submit(bench.job(
                           "a", "python3 -c 'import time; x = bytearray(60000000); time.sleep(3)'"))
                       .id;
  bench.wait_for_end(id);
  const bool has_books = std::getenv("DLSCALE_BOOKS") != nullptr;
  if (has_books)
    bench.wait_until(
        [&] { return bench.scheduler->usage({id})[0].peak_memory_bytes > 60'000'000; });
  const runner::JobUsage usage = bench.scheduler->usage({id}).at(0);
  if (has_books || !bench.is("slurm")) CHECK(usage.elapsed_s.value() >= 2);
  if (!has_books && !bench.is("local")) return;
  CHECK(usage.cpu_s.value() < 3);
  CHECK(usage.peak_memory_bytes.value() > 60'000'000);
  CHECK(usage.peak_memory_bytes.value() < 200'000'000);
}
