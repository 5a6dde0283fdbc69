// SPDX-License-Identifier: Apache-2.0
// Ranks as threads: failures reach everyone, sums are the same in every run.
#include "trainer/comm/thread.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

/// The text of the communication error `body` ends with; empty if with none.
std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitCommunication);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a rank that fails makes the others fail instead of hang, and its error is reported") {
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

TEST_CASE("a rank that leaves early is named to those who wait for it") {
  const auto body = [](Communicator& rank) {
    if (rank.rank() != 2) rank.barrier();
  };
  CHECK(error_of([&] { run_as_threads(3, body); }) == "rank 2 has left while others wait for it");
}

TEST_CASE("ranks that call different collectives are told so") {
  const auto body = [](Communicator& rank) {
    double number = 0;
    const Span one{&number, 1, ElementType::float64};
    if (rank.rank() == 1) {
      rank.all_reduce(one, ReduceOp::max);
    } else {
      rank.all_reduce(one, ReduceOp::sum);
    }
  };
  CHECK(error_of([&] { run_as_threads(2, body); }) == "ranks 0 and 1 call different collectives");
}

TEST_CASE("a rank may leave as soon as its last collective is over") {
  for (int round = 0; round < 200; ++round) {
    CHECK_NOTHROW(run_as_threads(3, [](Communicator& rank) { rank.barrier(); }));
  }
}

TEST_CASE("sums over threads go over the ranks in order") {
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
