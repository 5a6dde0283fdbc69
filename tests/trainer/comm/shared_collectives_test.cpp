// SPDX-License-Identifier: Apache-2.0
// Tests of collectives through shared memory in random order.
#include "trainer/comm/shared_collectives.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "trainer/comm/thread.hpp"

using namespace dlscale::trainer;

namespace {

/// Checks one of four collectives on `count` doubles per rank, each with the value rank + round.
void check_one(SharedCollectives& shared, const Communicator& ranks, int which, std::int64_t count,
               int round) {
  const int size = ranks.size();
  std::vector<double> mine(static_cast<std::size_t>(count), ranks.rank() + round);
  std::vector<double> all(static_cast<std::size_t>(count * size), ranks.rank() + round);
  const Span part{mine.data(), count, ElementType::float64};
  const Span whole{all.data(), count * size, ElementType::float64};
  const int root = round % size;
  double wanted = size - 1 + round;
  if (which == 0) shared.all_reduce(part, ReduceOp::max);
  if (which == 1) shared.reduce_scatter(whole, part, ReduceOp::max);
  if (which == 2) shared.broadcast(part, root);
  if (which == 2) wanted = root + round;
  if (which == 3) shared.all_gather(part, whole);
  for (std::int64_t j = 0; j < (which == 3 ? count * size : count); ++j) {
    if (which == 3) wanted = static_cast<double>(j / count + round);
    const double found = (which == 3 ? all : mine)[static_cast<std::size_t>(j)];
    if (found != wanted) throw std::runtime_error("a wrong element");
  }
}

}  // namespace

TEST_CASE("shared-memory collectives are correct for any call order, size and rank speed") {
  for (const int size : {2, 3, 4}) {
    const auto body = [](Communicator& ranks) {
      const auto shared = SharedCollectives::make(ranks);
      std::mt19937 same(1), own(static_cast<unsigned>(ranks.rank()));
      const std::int64_t counts[] = {0, 1, 1024, 1025, 32768, 32769, 65536, 65537, 150000};
      for (int round = 0; round < 200; ++round) {
        const std::int64_t count = counts[same() % std::size(counts)];
        if (own() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 300));
        check_one(*shared, ranks, static_cast<int>(same() % 4), count, round);
      }
    };
    CHECK_NOTHROW(run_as_threads(size, body));
  }
}

TEST_CASE("sums through shared memory add the ranks in order at every size") {
  const std::vector<double> given = {1, 1e16, -1e16, 3};  // another order gives 3 or 4
  const auto body = [&](Communicator& ranks) {
    const auto shared = SharedCollectives::make(ranks);
    for (const std::int64_t count : {7, 150'000}) {
      std::vector<double> data(static_cast<std::size_t>(count),
                               given[static_cast<std::size_t>(ranks.rank())]);
      shared->all_reduce({data.data(), count, ElementType::float64}, ReduceOp::sum);
      for (const double sum : data) {
        if (sum != ((1 + 1e16) - 1e16) + 3) throw std::runtime_error("another order");
      }
    }
  };
  CHECK_NOTHROW(run_as_threads(static_cast<int>(given.size()), body));
}
