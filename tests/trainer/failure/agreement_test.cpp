// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/failure.hpp"

#include <catch2/catch.hpp>
#include <new>

#include "base/clock.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using contract::RunOutcome;

namespace {

/// Runs `work(rank)` on three ranks and returns the failure that each rank received.
std::vector<trainer::Failure> failures_of(const std::function<void(int)>& work) {
  std::vector<trainer::Failure> failures(3);
  trainer::run_as_threads(3, [&](trainer::Communicator& communicator) {
    base::SystemClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    const int rank = queue.rank();
    try {
      trainer::all_or_none(queue, [&] { work(rank); });
    } catch (const trainer::SharedError& error) {
      failures[rank] = error.failure();
    }
  });
  return failures;
}

}  // namespace

TEST_CASE(
    "a failure on one rank becomes the failure of all ranks, with message, code and outcome") {
  for (const auto& failure : failures_of([](int rank) {
         if (rank == 1) throw base::RunError("disk of node1 is gone", contract::kExitData);
       })) {
    CHECK(failure.message == "rank 1: disk of node1 is gone");
    CHECK(failure.exit_code == contract::kExitData);
    CHECK(failure.outcome == RunOutcome::Failed);
  }
}

TEST_CASE("if all ranks fail, the first rank's message is reported without its number") {
  for (const auto& failure : failures_of(
           [](int rank) { throw base::UsageError("no such file on " + std::to_string(rank)); })) {
    CHECK(failure.message == "no such file on 0");
    CHECK(failure.exit_code == 2);
  }
}

TEST_CASE("running out of memory on one rank is the outcome of all ranks") {
  for (const auto& failure : failures_of([](int rank) {
         if (rank == 2) throw std::bad_alloc();
       })) {
    CHECK(failure.outcome == RunOutcome::OutOfMemory);
    CHECK(failure.exit_code == 1);
  }
}

TEST_CASE("ranks that all succeed continue") {
  for (const auto& failure : failures_of([](int) {})) CHECK(failure.message.empty());
}

TEST_CASE("every rank receives rank 0's text, also if it is empty") {
  const std::string text = GENERATE(std::string(), std::string("{\"gpus\": 3}\n"));
  std::vector<std::string> got(3);
  trainer::run_as_threads(3, [&](trainer::Communicator& communicator) {
    base::SystemClock clock;
    trainer::CollectiveQueue queue(communicator, clock);
    got[queue.rank()] = trainer::broadcast_text(queue.rank() == 0 ? text : "other", queue);
  });
  for (const std::string& received : got) CHECK(received == text);
}

TEST_CASE("a library's message is shortened to its first line") {
  const auto failure = trainer::failure_of(std::runtime_error("shapes differ\n#0 frame\n#1 frame"));
  CHECK(failure.message == "shapes differ");
  CHECK(failure.outcome == RunOutcome::Failed);
}
