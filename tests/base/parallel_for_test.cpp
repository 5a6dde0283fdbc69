// SPDX-License-Identifier: Apache-2.0
#include "base/parallel_for.hpp"

#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/require.hpp"

using namespace dlscale::base;

TEST_CASE("each index is processed once for every chunk size") {
  for (const std::size_t chunk : {0, 1, 7, 1000}) {
    std::vector<std::atomic<int>> calls(100);
    parallel_for(calls.size(), [&](std::size_t i) { ++calls[i]; }, {.chunk = chunk});
    for (const std::atomic<int>& count : calls) CHECK(count == 1);
  }
}

TEST_CASE("an empty range makes no calls") {
  parallel_for(0, [](std::size_t i) {
    dlscale::test::require(false, fmt::format("index {} of an empty range is not processed", i));
  });
}

TEST_CASE("chunks cover the range, and the last chunk holds the remainder") {
  std::atomic<std::size_t> sum = 0, shortest = 100;
  const auto work = [&](std::size_t begin, std::size_t end) {
    CHECK(begin % 10 == 0);
    sum += end - begin;
    if (end - begin < shortest) shortest = end - begin;
  };
  parallel_for_chunks(25, work, {.most_threads = 1, .chunk = 10});
  CHECK(sum == 25);
  CHECK(shortest == 5);
}

TEST_CASE("a single thread is the calling thread") {
  std::set<std::thread::id> ids;
  parallel_for(10, [&](std::size_t) { ids.insert(std::this_thread::get_id()); },
               {.most_threads = 1});
  CHECK(ids == std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_CASE("the error of the first index that failed is thrown") {
  for (const std::size_t chunk : {1, 8}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const auto work = [](std::size_t i) {
        if (i == 3) std::this_thread::yield();
        if (i >= 3) throw std::runtime_error(std::to_string(i));
      };
      CHECK_THROWS_WITH(parallel_for(100, work, {.chunk = chunk}), "3");
    }
  }
}

TEST_CASE("no chunk begins after a failure") {
  int calls = 0;
  const auto work = [&](std::size_t) {
    if (++calls == 2) throw std::runtime_error("stop");
  };
  CHECK_THROWS(parallel_for(10, work, {.most_threads = 1}));
  CHECK(calls == 2);
}
