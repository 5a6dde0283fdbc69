// SPDX-License-Identifier: Apache-2.0
// Conformance tests of operations on jobs: cancelling, holding, signalling and avoiding nodes.
#include <fstream>

#include "tests/schedulers/conformance/bench.hpp"

using namespace dlscale;
using test::Bench;
using test::Job;
using test::JobId;
using test::JobState;
using test::JobStatus;

namespace {

/// Commands of a script that runs until the file "go" exists.
constexpr const char* kUntilGo = "touch \"$0.ready\"; until [[ -e go ]]; do sleep 0.1; done";

}  // namespace

TEST_CASE("a running job that is cancelled ends with all its processes") {
  Bench bench;
  const JobId id =
      bench
          .submit(bench.job("a",
                            "beat() { while :; do date +%s.%N >$1; sleep 0.1; done; }\n"
                            "beat one & beat two & touch ready; wait"))
          .id;
  bench.wait_for_file("ready");
  bench.scheduler->cancel({id});
  const JobStatus end = bench.wait_for_end(id);
  CHECK(end.state == JobState::Cancelled);
  CHECK_FALSE(end.nodes.empty());
  ::sleep(1);
  const std::string last = bench.text("one") + bench.text("two");
  ::sleep(1);
  CHECK(bench.text("one") + bench.text("two") == last);
}

TEST_CASE("a job that ignores the first cancel request is killed by the second") {
  Bench bench;
  const JobId id =
      bench.submit(bench.job("a", "trap '' TERM; touch ready; while :; do sleep 0.1; done")).id;
  bench.wait_for_file("ready");
  bench.scheduler->cancel({id});
  bench.scheduler->cancel({id});
  CHECK(bench.wait_for_end(id).state == JobState::Cancelled);
}

TEST_CASE("a waiting job that is cancelled never starts") {
  Bench bench;
  const JobId a = bench.submit(bench.job("a", kUntilGo)).id;
  Job second = bench.job("b", "touch b-ran");
  second.after = {a};
  const JobId b = bench.submit(second).id;
  bench.scheduler->cancel({b});
  const JobStatus end = bench.wait_for_end(b);
  CHECK(end.state == JobState::Cancelled);
  CHECK(end.started_at == 0);
  bench.touch("go");
  CHECK(bench.wait_for_end(a).state == JobState::Done);
  CHECK_FALSE(std::filesystem::exists(bench.temp / "b-ran"));
}

TEST_CASE("single tasks of an array are cancelled", "[batch]") {
  Bench bench;
  const auto array = bench.submit(bench.array("a", {0, 1}, kUntilGo));
  bench.wait_for(array.tasks[1], JobState::Running);
  bench.scheduler->cancel({array.tasks[1]});
  CHECK(bench.wait_for_end(array.tasks[1]).state == JobState::Cancelled);
  bench.touch("go");
  CHECK(bench.wait_for_end(array.tasks[0]).state == JobState::Done);
}

TEST_CASE("a held job waits until it is released") {
  Bench bench;
  const JobId a = bench.submit(bench.job("a", kUntilGo)).id;
  Job second = bench.job("b", "true");
  second.after = {a};
  const JobId b = bench.submit(second).id;
  bench.wait_for(a, JobState::Running);
  bench.scheduler->hold({b});
  bench.touch("go");
  bench.wait_for_end(a);
  ::sleep(bench.is("local") ? 1 : 4);
  CHECK(bench.status(b).state == JobState::Queued);
  CHECK_FALSE(bench.status(b).reason.empty());
  bench.scheduler->release({b});
  CHECK(bench.wait_for_end(b).state == JobState::Done);
}

TEST_CASE("a signal reaches the script, which chooses its exit code") {
  Bench bench;
  const JobId id =
      bench
          .submit(bench.job(
              "a", "trap 'echo USR1 >>got; exit 5' USR1; touch ready; while :; do sleep 0.1; done"))
          .id;
  bench.wait_for_file("ready");
  bench.wait_for(id, JobState::Running);
  bench.scheduler->signal({id}, 10);
  const JobStatus end = bench.wait_for_end(id);
  CHECK(end.state == JobState::Failed);
  CHECK(end.exit_code == 5);
  CHECK(bench.text("got") == "USR1\n");
}

TEST_CASE("requests for jobs that have ended are ignored") {
  Bench bench;
  const JobId id = bench.submit(bench.job("a", "exit 2")).id;
  bench.wait_for_end(id);
  CHECK_NOTHROW(bench.scheduler->cancel({id}));
  CHECK_NOTHROW(bench.scheduler->hold({id}));
  CHECK_NOTHROW(bench.scheduler->release({id}));
  CHECK_NOTHROW(bench.scheduler->signal({id}, 10));
  CHECK(bench.status(id).state == JobState::Failed);
}

TEST_CASE("at most the requested number of array tasks run at a time", "[slurm]") {
  Bench bench;
  // The first task waits for the second, however long the second takes to start.
  Job job = bench.array("a", {0, 1, 2, 3},
                        "echo $(date +%s%N) 1 >>turns\n"
                        "until [[ $(grep -c ' 1$' turns) -ge 2 ]]; do sleep 0.1; done\n"
                        "sleep 0.5; echo $(date +%s%N) -1 >>turns");
  job.throttle = 2;
  bench.wait_for_end(bench.submit(job).tasks);
  std::ifstream turns(bench.temp / "turns");
  int running = 0, most = 0;
  long long time = 0;
  for (int turn = 0; turns >> time >> turn;) most = std::max(most, running += turn);
  CHECK(most == 2);
}

TEST_CASE("a job does not run on the nodes that it avoids", "[batch]") {
  Bench bench;
  const JobId a = bench.submit(bench.job("a", "true")).id;
  const std::string bad = bench.wait_for_end(a).nodes.at(0);
  Job job = bench.job("b", "true");
  job.avoid = {bad};
  const JobStatus end = bench.wait_for_end(bench.submit(job).id);
  CHECK(end.state == JobState::Done);
  CHECK(end.nodes.at(0) != bad);
}

TEST_CASE("a chained job keeps its chain in addition to its other dependencies", "[slurm]") {
  Bench bench;
  const std::string chain = "#SBATCH --job-name=chain\n#SBATCH --dependency=singleton";
  const JobId other = bench.submit(bench.job("other", "true")).id;
  const JobId a = bench.submit(bench.job("a", kUntilGo, chain)).id;
  bench.wait_for(a, JobState::Running);
  Job second = bench.job("b", "true", chain);
  second.after = {other};
  const JobId b = bench.submit(second).id;
  bench.wait_for_end(other);
  ::sleep(2);
  CHECK(bench.status(b).state == JobState::Queued);
  bench.touch("go");
  CHECK(bench.wait_for_end(b).state == JobState::Done);
}
