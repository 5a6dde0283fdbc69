// SPDX-License-Identifier: Apache-2.0
// Conformance tests of jobs that the batch system ends or requeues, and of jobs during failures of
// the cluster.
#include <fcntl.h>
#include <sys/file.h>

#include "tests/schedulers/conformance/bench.hpp"

using namespace dlscale;
using test::Bench;
using test::Job;
using test::JobId;
using test::JobState;
using test::JobStatus;

namespace {

constexpr const char* kUntilGo = "touch ready; until [[ -e go ]]; do sleep 0.1; done";

/// File lock that only one program at a time can hold.
struct Lock {
  explicit Lock(const std::filesystem::path& path)
      : descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)),
        taken(::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {}
  ~Lock() { ::close(descriptor); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  int descriptor;
  bool taken;
};

/// Part of the cluster that is broken until the destructor repairs the part.
struct Broken {
  Broken(Bench& bench, std::vector<std::string> what) : bench(bench), thing(std::move(what)) {
    fault(thing[0] == "node" ? "crash" : "stop");
  }
  ~Broken() {
    if (!mended) bench.commands->run(words(thing[0] == "node" ? "boot" : "start"), 60);
  }
  void mend() {
    mended = true;
    fault(thing[0] == "node" ? "boot" : "start");
  }
  runner::Command words(const std::string& action) const {
    std::vector<std::string> all{"fault", thing[0], action};
    all.insert(all.end(), thing.begin() + 1, thing.end());
    return {all, bench.temp.path()};
  }
  void fault(const std::string& action) const { bench.command(words(action).arguments); }
  Bench& bench;
  std::vector<std::string> thing;
  bool mended = false;
};

}  // namespace

TEST_CASE("a job that exceeds its walltime is timed out", "[batch]") {
  Bench bench;
  const JobId id =
      bench
          .submit(bench.job("a", "sleep 300",
                            bench.is("oar") ? "#OAR -l nodes=1/core=1,walltime=0:0:5" : ""))
          .id;
  bench.wait_for(id, JobState::Running);
  if (bench.is("slurm")) {  // SLURM rejects end times in the past
    bench.command({"scontrol", "update", "JobId=" + id, "EndTime=now+5seconds"});
  }
  const JobStatus end = bench.wait_for_end(id, 90);
  CHECK(end.state == JobState::TimedOut);
  CHECK_FALSE(end.exit_code.has_value());
  CHECK(end.ended_at > end.started_at);
}

TEST_CASE("a job whose node crashes has failed because of the node", "[slurm]") {
  Bench bench;
  const JobId id = bench.submit(bench.job("a", kUntilGo, "#SBATCH --no-requeue")).id;
  const std::string node = bench.wait_for(id, JobState::Running).nodes.at(0);
  bench.wait_for_file("ready");
  Broken broken(bench, {"node", node});
  const JobStatus end = bench.wait_for_end(id, 120);
  CHECK(end.state == JobState::NodeFailed);
  CHECK(end.nodes.at(0) == node);
  broken.mend();
  Job next = bench.job("b", "true", "#SBATCH --nodelist=" + node);
  CHECK(bench.wait_for_end(bench.submit(next).id, 90).state == JobState::Done);
}

TEST_CASE("a requeued job waits and runs again under its id", "[slurm]") {
  Bench bench;
  const JobId id = bench.submit(bench.job("a", kUntilGo)).id;
  bench.wait_for(id, JobState::Running);
  bench.wait_for_file("ready");
  bench.command({"scontrol", "requeue", id});
  bench.wait_for(id, JobState::Queued, 30);
  bench.touch("go");
  CHECK(bench.wait_for_end(id, 90).state == JobState::Done);
}

TEST_CASE("a job that OAR starts on a dead node continues as another job", "[oar]") {
  Bench bench;
  const JobId first = bench.submit(bench.job("a", "true")).id;
  const std::string node = bench.wait_for_end(first).nodes.at(0);
  std::optional<Broken> broken(std::in_place, bench, std::vector<std::string>{"node", node});
  const Job job = bench.job("b", "true", "#OAR -p network_address='" + node + "'");
  const JobId id = bench.submit(job).id;
  const JobStatus end = bench.wait_for_end(id, 120);
  CHECK(end.state == JobState::NodeFailed);
  bench.wait_until([&] { return !bench.status(id).continued_as.empty(); });
  const JobId next = bench.status(id).continued_as;
  CHECK(next != id);
  CHECK(bench.scheduler->find(job).value().id == id);
  CHECK(bench.status(next).state == JobState::Queued);
  broken->mend();
  CHECK(bench.wait_for_end(next, 120).state == JobState::Done);
}

TEST_CASE("jobs are unknown while the controller is down and known again afterwards", "[slurm]") {
  Bench bench;
  const Job job = bench.job("a", kUntilGo);
  const JobId id = bench.submit(job).id;
  bench.wait_for(id, JobState::Running);
  Broken broken(bench, {"controller"});
  const Job second = bench.job("b", "true");
  CHECK_THROWS_AS(bench.scheduler->status({id}), runner::SchedulerUnreachable);
  CHECK_THROWS_AS(bench.scheduler->submit(second), runner::SchedulerUnreachable);
  CHECK_THROWS_AS(bench.scheduler->find(second), runner::SchedulerUnreachable);
  CHECK_THROWS_AS(bench.scheduler->cancel({id}), runner::SchedulerUnreachable);
  CHECK_THROWS_AS(bench.scheduler->hold({id}), runner::SchedulerUnreachable);
  bench.touch("go");
  broken.mend();
  CHECK(bench.wait_for_end(id).state == JobState::Done);
  CHECK_FALSE(bench.scheduler->find(second).has_value());
}

TEST_CASE("a job that OAR's server missed is found and runs when the server is back", "[oar]") {
  Bench bench;
  Broken broken(bench, {"controller"});
  const Job job = bench.job("a", "exit 4");
  CHECK_THROWS_AS(bench.scheduler->submit(job), runner::SchedulerUnreachable);
  const auto found = bench.scheduler->find(job);
  REQUIRE(found.has_value());
  CHECK(bench.status(found->id).state == JobState::Queued);
  broken.mend();
  CHECK(bench.wait_for_end(found->id).exit_code == 4);
}

TEST_CASE("an oarsub that retries endlessly is left alone, and its job runs once", "[oar]") {
  Bench bench(3);
  const JobId earlier = bench.submit(bench.job("a", "true")).id;
  Broken broken(bench, {"database"});
  Job job = bench.job("b", "echo b >>ran");
  std::optional<Lock> lock(std::in_place, bench.temp / "lock");
  job.keep_open = {lock->descriptor};
  const double before_s = bench.clock.steady_s();
  CHECK_THROWS_AS(bench.scheduler->submit(job), runner::SchedulerUnreachable);
  CHECK_THROWS_AS(bench.scheduler->find(job), runner::SchedulerUnreachable);
  CHECK_THROWS_AS(bench.scheduler->status({earlier}), runner::SchedulerUnreachable);
  CHECK(bench.clock.steady_s() - before_s < 20);
  lock.reset();
  CHECK_FALSE(Lock(bench.temp / "lock").taken);  // lock held by oarsub
  broken.mend();
  std::optional<runner::Submitted> found;
  bench.wait_until([&] {
    try {
      found = bench.scheduler->find(job);
      return true;
    } catch (const runner::SchedulerUnreachable&) {
      return false;
    }
  });
  CHECK(Lock(bench.temp / "lock").taken);
  job.keep_open.clear();
  if (!found) found = bench.scheduler->submit(job);
  bench.wait_for_end(found->id);
  ::sleep(3);
  CHECK(bench.text("ran") == "b\n");
}

TEST_CASE("a job that the controller has forgotten is found in the accounting", "[books]") {
  Bench bench;
  const Job job = bench.job("a", "exit 6");
  const JobId id = bench.submit(job).id;
  const auto array = bench.submit(bench.array("b", {1, 3}, "exit $task"));
  CHECK(bench.wait_for_end(id).exit_code == 6);
  bench.wait_for_end(array.tasks);
  bench.wait_until(
      [&] {
        const auto answer = bench.commands->run({{"squeue", "-ht", "all"}, "/"}, 60);
        return answer.out.empty();
      },
      120);
  const JobStatus end = bench.status(id);
  CHECK(end.state == JobState::Failed);
  CHECK(end.exit_code == 6);
  CHECK(end.nodes.size() == 1);
  CHECK(end.ended_at >= end.started_at);
  CHECK(bench.status(array.tasks[1]).exit_code == 3);
  CHECK(bench.scheduler->find(job).value().id == id);
  Broken broken(bench, {"accounting"});
  CHECK(bench.status(id).state == JobState::Lost);
  CHECK_FALSE(bench.scheduler->usage({id})[0].elapsed_s.has_value());
}

TEST_CASE("a job that exceeds its memory is reported as out of memory", "[memory]") {
  Bench bench;
  const std::string grow = "python3 -c 'x = bytearray(600000000)'";
  const JobId script = bench.submit(bench.job("a", grow)).id;
  const JobId step = bench.submit(bench.job("b", "srun -n1 " + grow)).id;
  const JobStatus end = bench.wait_for_end(script);
  CHECK(end.state == JobState::OutOfMemory);
  CHECK(end.signal == 0);
  CHECK(bench.wait_for_end(step).state == JobState::OutOfMemory);
}
