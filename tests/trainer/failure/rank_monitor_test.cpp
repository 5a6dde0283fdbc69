// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/rank_monitor.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using contract::RunOutcome;
using trainer::RankMonitor;
using trainer::RankProcess;

namespace {

/// Returns the id of a process that has ended and that this process has not yet waited for.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  return child;
}

RankProcess process(pid_t number) {
  RankProcess here = RankProcess::of_this_one();
  here.number = number;
  return here;
}

}  // namespace

TEST_CASE("a rank whose process has ended is gone, before and after its parent waits for it") {
  const pid_t ended = ended_process();
  const RankMonitor ranks(1, {process(::getppid()), process(::getpid()), process(ended)});
  CHECK(ranks.sees(2));
  CHECK(ranks.first_gone() == 2);
  REQUIRE(::waitpid(ended, nullptr, 0) == ended);
  CHECK(ranks.has_gone(2));
  CHECK_FALSE(ranks.has_gone(0));
}

TEST_CASE("the first remaining rank succeeds rank 0 after rank 0 has ended") {
  const RankProcess gone = process(ended_process()), here = process(::getpid());
  CHECK(RankMonitor(1, {gone, here, here}).succeeds_root());
  CHECK(RankMonitor(2, {gone, gone, here}).succeeds_root());
  CHECK_FALSE(RankMonitor(2, {gone, here, here}).succeeds_root());
  CHECK_FALSE(RankMonitor(1, {here, here, gone}).succeeds_root());
  CHECK_FALSE(RankMonitor(0, {here, gone}).succeeds_root());
  RankProcess elsewhere = gone;
  ++elsewhere.machine;
  CHECK_FALSE(RankMonitor(1, {elsewhere, here}).succeeds_root());
}

TEST_CASE("the state of ranks on other machines or in other process namespaces is unknown") {
  const pid_t ended = ended_process();
  ::waitpid(ended, nullptr, 0);
  RankProcess elsewhere = process(ended), apart = process(ended);
  ++elsewhere.machine;
  ++apart.space;
  const RankMonitor ranks(0, {process(::getpid()), elsewhere, apart});
  for (const int rank : {1, 2}) {
    CHECK_FALSE(ranks.sees(rank));
    CHECK_FALSE(ranks.has_gone(rank));
  }
  CHECK_FALSE(ranks.first_gone());
  const RankProcess unknown{.number = ended};
  CHECK_FALSE(RankMonitor(0, {unknown, unknown}).first_gone());
}

TEST_CASE("ranks that are not visible are listed, and a rank without visible peers is alone") {
  RankProcess beside = process(::getpid()), apart = process(::getpid());
  ++beside.machine;
  ++apart.space;
  const RankMonitor ranks(1, {process(::getppid()), process(::getpid()), beside, apart, beside});
  CHECK(ranks.unseen() == std::vector{2, 3, 4});
  CHECK(ranks.is_alone(3));
  for (const int rank : {0, 1, 2, 4}) CHECK_FALSE(ranks.is_alone(rank));
  const RankProcess unknown{.number = ::getpid()};
  const RankMonitor nowhere(0, {unknown, unknown});
  CHECK(nowhere.unseen() == std::vector{1});
  CHECK(nowhere.is_alone(1));
}

TEST_CASE("rank 0 records the first report of another rank") {
  test::TempDir folder;
  const contract::LaunchDir launch = contract::RunDir(folder.path()).make_next_launch();
  const RankProcess here = process(::getpid());
  const contract::RunStop met{.outcome = RunOutcome::Failed, .reason = "lost a connection"};
  RankMonitor root(0, {here, here, here}), first(1, {here, here, here}),
      second(2, {here, here, here});
  for (RankMonitor* monitor : {&root, &first, &second}) monitor->enter(launch);
  CHECK(root.first_reported(met, false) == met);
  first.report_failure({.outcome = RunOutcome::OutOfMemory, .reason = "no memory"}, false);
  second.report_failure(met, true);
  const contract::RunStop cause = root.first_reported(met, true);
  CHECK(cause.outcome == RunOutcome::OutOfMemory);
  CHECK(cause.reason == "rank 1: no memory");
}

TEST_CASE("without a launch folder nothing is reported and no rank waits") {
  const RankProcess here = process(::getpid());
  RankMonitor root(0, {here, here}), other(1, {here, here});
  const contract::RunStop stop{.outcome = RunOutcome::Failed, .reason = "no memory"};
  other.report_failure(stop, false);
  CHECK(root.reason_of_signal(stop) == stop);
}

TEST_CASE("after a signal rank 0 names the rank that had ended, or the rank it cannot see") {
  test::TempDir folder;
  const contract::LaunchDir launch = contract::RunDir(folder.path()).make_next_launch();
  const RankProcess here = process(::getpid()), gone = process(ended_process());
  RankProcess alone = gone, beside = here;
  ++alone.machine;
  beside.machine += 2;
  const contract::RunStop told{.outcome = RunOutcome::Cancelled, .reason = "received SIGTERM"};
  CHECK(RankMonitor(0, {here, here}).reason_of_signal(told) == told);
  const contract::RunStop lost = RankMonitor(0, {here, gone}).reason_of_signal(told);
  CHECK(lost.outcome == RunOutcome::Failed);
  CHECK(lost.reason == "rank 1 has left while others wait for it");
  CHECK(RankMonitor(0, {here, alone}).reason_of_signal(told).reason ==
        "received SIGTERM; it is unknown whether rank 1, alone on its node, ended earlier");
  RankMonitor root(0, {here, beside, beside}), other(1, {here, beside, gone});
  root.enter(launch);
  CHECK(root.reason_of_signal(told) == told);
}

TEST_CASE("a rank on another node reports that a rank of its node had ended") {
  test::TempDir folder;
  const contract::LaunchDir launch = contract::RunDir(folder.path()).make_next_launch();
  const RankProcess here = process(::getpid()), gone = process(ended_process());
  RankProcess far = here;
  ++far.machine;
  RankMonitor root(0, {far, here, gone}), other(1, {far, here, gone});
  root.enter(launch);
  other.enter(launch);
  const contract::RunStop told{.outcome = RunOutcome::Cancelled, .reason = "received SIGTERM"};
  other.handle_signal(told);
  CHECK(root.reason_of_signal(told).reason == "rank 1: rank 2 has left while others wait for it");
}

TEST_CASE("the first remaining rank completes the records once after rank 0 has ended") {
  test::TempDir folder;
  const contract::LaunchDir launch = contract::RunDir(folder.path()).make_next_launch();
  base::write_file_atomically(launch.results(),
                              contract::to_json_line(contract::StepWindow{.samples = 64}) + "\n");
  const RankProcess here = process(::getpid()), gone = process(ended_process());
  const contract::RunStop told{.outcome = RunOutcome::Cancelled, .reason = "received SIGTERM"};
  RankMonitor left(1, {gone, here, here}), next(2, {gone, here, here});
  for (RankMonitor* monitor : {&next, &left, &left}) {
    monitor->enter(launch);
    monitor->handle_signal(told);
  }
  const auto records = contract::parse_results(base::read_file(launch.results())).records;
  REQUIRE(records.size() == 2);
  const auto& stop = std::get<contract::RunStop>(records.back());
  CHECK(stop.outcome == RunOutcome::Failed);
  CHECK(stop.samples == 64);
  CHECK(stop.reason == "rank 0 has left while others wait for it");
  CHECK_THAT(base::read_file(launch.err()), Catch::Contains(stop.reason));
}

TEST_CASE("ranks exchange the identities of their processes") {
  trainer::run_as_threads(3, [](trainer::Communicator& communicator) {
    const base::SystemClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    const RankMonitor ranks(queue);
    for (int rank = 0; rank < 3; ++rank) {
      if (!ranks.sees(rank) || ranks.has_gone(rank)) throw base::RunError("a rank is not seen");
    }
  });
}
