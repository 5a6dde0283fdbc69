// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/node_ranks.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using trainer::NodeRanks;
using trainer::RankProcess;

namespace {

/// Of a process that has ended and that nobody has taken note of.
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

TEST_CASE("a rank whose process has ended has gone, before and after anybody took note of it") {
  const pid_t ended = ended_process();
  const NodeRanks ranks(1, {process(::getppid()), process(::getpid()), process(ended)});
  CHECK(ranks.sees(2));
  CHECK(ranks.first_gone() == 2);
  REQUIRE(::waitpid(ended, nullptr, 0) == ended);
  CHECK(ranks.has_gone(2));
  CHECK_FALSE(ranks.has_gone(0));
}

TEST_CASE("the first rank that is left succeeds rank 0 once that has gone") {
  const RankProcess gone = process(ended_process()), here = process(::getpid());
  CHECK(NodeRanks(1, {gone, here, here}).succeeds_root());
  CHECK(NodeRanks(2, {gone, gone, here}).succeeds_root());
  CHECK_FALSE(NodeRanks(2, {gone, here, here}).succeeds_root());
  CHECK_FALSE(NodeRanks(1, {here, here, gone}).succeeds_root());
  CHECK_FALSE(NodeRanks(0, {here, gone}).succeeds_root());
  RankProcess elsewhere = gone;
  ++elsewhere.machine;
  CHECK_FALSE(NodeRanks(1, {elsewhere, here}).succeeds_root());
}

TEST_CASE("of ranks on other machines and in other sets of processes nothing is known") {
  const pid_t ended = ended_process();
  ::waitpid(ended, nullptr, 0);
  RankProcess elsewhere = process(ended), apart = process(ended);
  ++elsewhere.machine;
  ++apart.space;
  const NodeRanks ranks(0, {process(::getpid()), elsewhere, apart});
  for (const int rank : {1, 2}) {
    CHECK_FALSE(ranks.sees(rank));
    CHECK_FALSE(ranks.has_gone(rank));
  }
  CHECK_FALSE(ranks.first_gone());
  const RankProcess unknown{.number = ended};
  CHECK_FALSE(NodeRanks(0, {unknown, unknown}).first_gone());
}

TEST_CASE("who cannot be seen is known, and who of them nobody sees") {
  RankProcess beside = process(::getpid()), apart = process(::getpid());
  ++beside.machine;
  ++apart.space;
  const NodeRanks ranks(1, {process(::getppid()), process(::getpid()), beside, apart, beside});
  CHECK(ranks.unseen() == std::vector{2, 3, 4});
  CHECK(ranks.is_alone(3));
  for (const int rank : {0, 1, 2, 4}) CHECK_FALSE(ranks.is_alone(rank));
  const RankProcess unknown{.number = ::getpid()};
  const NodeRanks nowhere(0, {unknown, unknown});
  CHECK(nowhere.unseen() == std::vector{1});
  CHECK(nowhere.is_alone(1));
}

TEST_CASE("ranks tell each other where they are") {
  trainer::run_as_threads(3, [](trainer::Communicator& communicator) {
    const base::SystemClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    const NodeRanks ranks(queue);
    for (int rank = 0; rank < 3; ++rank) {
      if (!ranks.sees(rank) || ranks.has_gone(rank)) throw base::RunError("a rank is not seen");
    }
  });
}
