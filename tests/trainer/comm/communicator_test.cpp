// SPDX-License-Identifier: Apache-2.0
// Tests that run the collective suite on every communicator in the table.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "tests/trainer/comm/collective_suite.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

void check(Communicator& ranks) {
  test::check_collectives(ranks, {0, 1, 17, 1000});
  test::check_collectives_of(ranks, ElementType::float32, (std::int64_t{1} << 18) + 3);
  test::check_splits(ranks);
  test::check_counters(ranks);
}

void check_threads() {
  for (const int ranks : {1, 2, 3, 4}) run_as_threads(ranks, check);
}

}  // namespace

TEST_CASE("every communicator of this build passes the collective suite") {
  const std::map<std::string, std::function<void()>> suites{
      {"single", [] { check(*make_single()); }},
      {"thread", check_threads},
      {"mpi", [] { SUCCEED("needs ranks; mpi_test.cpp runs under mpirun"); }}};
  for (const CommunicatorEntry* entry : communicator_table()) {
    if (entry->unavailable != nullptr) continue;
    INFO(entry->name);
    CHECK_NOTHROW(suites.at(entry->name)());
  }
}

TEST_CASE("every communicator has a known name, and a reason if this build lacks it") {
  for (const CommunicatorEntry* entry : communicator_table()) {
    INFO(entry->name);
    CHECK(contract::is_known("communicator", entry->name));
    CHECK_FALSE(std::string_view(entry->summary).empty());
    if (entry->unavailable != nullptr) {
      CHECK(std::string_view(entry->unavailable).find("this build has no") == 0);
    }
  }
}

TEST_CASE("inconsistent calls are rejected before any data is sent") {
  const auto single = make_single();
  double numbers[4] = {};
  const Span two{numbers, 2, ElementType::float64}, three{numbers, 3, ElementType::float64};
  CHECK_THROWS_WITH(single->all_gather(two, three),
                    "all_gather: the whole array has 3 elements, but must have 1 parts of 2 "
                    "elements of the same type");
  CHECK_THROWS_WITH(single->reduce_scatter(two, {numbers, 2, ElementType::int64}, ReduceOp::sum),
                    Catch::Contains("of the same type"));
  CHECK_THROWS_WITH(single->broadcast(two, 1),
                    "the root of a broadcast is rank 1, but there are 1 ranks");
  CHECK_THROWS_WITH(single->reduce(two, ReduceOp::sum, -1), Catch::Contains("is rank -1"));
  CHECK_THROWS_WITH(single->send(two, 7),
                    "the receiver of an exchange is rank 7, but there are 1 ranks");
  CHECK_THROWS_WITH(single->receive(two, 7),
                    "the sender of an exchange is rank 7, but there are 1 ranks");
  CHECK_THROWS_WITH(single->split(-1), "the color of a rank must be at least 0 (got -1)");
  CHECK_THROWS_WITH(single->send(two, 0), Catch::Contains("must receive exactly what it sends"));
  CHECK(single->stats().collectives == 0);
}
