// SPDX-License-Identifier: Apache-2.0
// Tests of ranks that are threads: errors reach all ranks, and sums are the same in every run.
#include "trainer/comm/thread.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "tests/trainer/comm/calls.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

/// Returns the message of the communication error that `body` throws, or an empty string if `body`
/// does not throw.
std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitCommunication);
    return error.what();
  }
  return "";
}

/// Returns the number of ranks, out of 3, that end with a communication error.
int ranks_told(const std::function<void(Communicator&)>& body) {
  std::atomic<int> told{0};
  run_as_threads(3, [&](Communicator& rank) {
    try {
      body(rank);
    } catch (const base::RunError& error) {
      told += error.exit_code() == contract::kExitCommunication ? 1 : 0;
    }
  });
  return told;
}

}  // namespace

TEST_CASE("ranks that arrive early record the time that they wait for the last rank") {
  constexpr std::chrono::milliseconds kLate{60};
  const double late_s = std::chrono::duration<double>(kLate).count();
  run_as_threads(3, [&](Communicator& rank) {
    std::vector<float> data(8);
    rank.barrier();
    const double before_s = rank.stats().wait_s;
    if (rank.rank() == 1) std::this_thread::sleep_for(kLate);
    const auto start = std::chrono::steady_clock::now();
    rank.all_reduce({data.data(), 8, ElementType::float32}, ReduceOp::sum);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const double waited_s = rank.stats().wait_s - before_s;
    // The limit is half of the delay, because the other ranks may also have started late.
    if (rank.rank() != 1 && waited_s < late_s / 2) throw std::logic_error("has not waited");
    if (waited_s > taken.count()) throw std::logic_error("has waited for longer than it took");
  });
}

TEST_CASE("a failing rank makes the other ranks fail, and its error is reported") {
  std::atomic<int> told{0};
  const auto body = [&](Communicator& rank) {
    rank.barrier();
    if (rank.rank() == 1) throw std::logic_error("rank 1 fails");
    try {
      rank.barrier();
    } catch (const base::RunError& error) {
      told += error.exit_code() == contract::kExitCommunication ? 1 : 0;
      throw;
    }
  };
  CHECK_THROWS_WITH(run_as_threads(3, body), "rank 1 fails");
  CHECK(told == 2);
}

TEST_CASE("a rank that leaves early is named in the error of the waiting ranks") {
  const auto body = [](Communicator& rank) {
    if (rank.rank() != 2) rank.barrier();
  };
  CHECK(error_of([&] { run_as_threads(3, body); }) == "rank 2 has left while others wait for it");
}

TEST_CASE("different calls in threads are reported to all ranks") {
  for (const test::NamedCall& one : test::different_calls()) {
    for (const test::NamedCall& other : test::different_calls()) {
      if (one.name == other.name) continue;
      INFO(one.name << " while rank 1 calls " << other.name);
      CHECK(ranks_told([&](Communicator& rank) { (rank.rank() == 1 ? other : one).run(rank); }) ==
            3);
    }
  }
}

TEST_CASE("every call of the other ranks fails after a rank has left") {
  for (const test::NamedCall& call : test::different_calls()) {
    INFO(call.name);
    CHECK(ranks_told([&](Communicator& rank) {
            call.run(rank);
            if (rank.rank() != 1) call.run(rank);
          }) == 2);
  }
}

TEST_CASE("error messages describe the mismatch between calls") {
  const auto body = [](Communicator& rank) {
    double numbers[3] = {};
    if (rank.rank() == 1) rank.send({numbers, 3, ElementType::float64}, 0);
    if (rank.rank() == 0) rank.receive({numbers, 2, ElementType::float64}, 1);
  };
  CHECK(error_of([&] { run_as_threads(2, body); }) ==
        "rank 1 sends 3 elements of 8 bytes, but rank 0 expects 2 elements of 8 bytes");
  const auto circle = [](Communicator& rank) {
    double number = 0;
    rank.receive({&number, 1, ElementType::float64}, 1 - rank.rank());
  };
  CHECK(error_of([&] { run_as_threads(2, circle); }) ==
        "every rank waits for another rank: the ranks make different calls");
  const auto reduces = [](Communicator& rank) {
    double number = 0;
    rank.all_reduce({&number, 1, ElementType::float64},
                    rank.rank() == 1 ? ReduceOp::max : ReduceOp::sum);
  };
  CHECK(error_of([&] { run_as_threads(2, reduces); }) ==
        "ranks 0 and 1 call different collectives");
}

TEST_CASE("a finished rank may leave while other ranks still exchange messages") {
  for (int round = 0; round < 50; ++round) {
    CHECK_NOTHROW(run_as_threads(3, [](Communicator& rank) {
      double number = rank.rank();
      const Span one{&number, 1, ElementType::float64};
      if (rank.rank() == 0) return rank.send(one, 1);
      if (rank.rank() == 1) rank.receive(one, 0);
      for (int i = 0; i < 20; ++i) {
        if (rank.rank() == 1) rank.send(one, 2);
        if (rank.rank() == 2) rank.receive(one, 1);
      }
    }));
  }
}

TEST_CASE("messages between two ranks keep their order, regardless of other senders") {
  run_as_threads(3, [](Communicator& rank) {
    for (int i = 0; i < 50; ++i) {
      std::int32_t number = i * 10 + rank.rank();
      const Span one{&number, 1, ElementType::int32};
      if (rank.rank() != 0) {
        rank.send(one, 0);
        continue;
      }
      for (const int from : {2, 1}) {
        rank.receive(one, from);
        if (number != i * 10 + from) throw std::runtime_error("another message");
      }
    }
  });
  SUCCEED();
}

TEST_CASE("a rank may leave right after its last collective") {
  for (int round = 0; round < 200; ++round) {
    CHECK_NOTHROW(run_as_threads(3, [](Communicator& rank) { rank.barrier(); }));
  }
}

TEST_CASE("sums over threads add the ranks in order") {
  const std::vector<float> terms{1e8F, 1.0F, -1e8F};
  for (int round = 0; round < 20; ++round) {
    run_as_threads(3, [&](Communicator& rank) {
      float number = terms[static_cast<std::size_t>(rank.rank())];
      rank.all_reduce({&number, 1, ElementType::float32}, ReduceOp::sum);
      if (number != (1e8F + 1.0F) + -1e8F) throw std::runtime_error("another order");
    });
  }
  SUCCEED();
}
