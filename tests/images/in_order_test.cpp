// SPDX-License-Identifier: Apache-2.0
#include "images/in_order.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/support/no_threads.hpp"

using dlscale::images::InOrder;

TEST_CASE("items are returned in order for every number of threads") {
  for (const int threads : {1, 2, 7}) {
    InOrder<std::int64_t> squares(100, threads,
                                  [] { return [](std::int64_t i) { return i * i; }; });
    for (std::int64_t i = 0; i < 100; ++i) CHECK(squares.next() == i * i);
  }
}

TEST_CASE("at most a few items per thread are made in advance") {
  std::atomic<int> made = 0;
  {
    InOrder<int> items(1000, 2, [&] { return [&](std::int64_t) { return ++made; }; });
    items.next();
  }
  CHECK(made <= 1 + 2 * 4);
}

TEST_CASE("an exception of a maker is thrown for its item, and later items follow") {
  InOrder<int> items(3, 3, [] {
    return [](std::int64_t i) -> int {
      if (i == 1) throw std::runtime_error("item 1");
      return static_cast<int>(i);
    };
  });
  CHECK(items.next() == 0);
  CHECK_THROWS_WITH(items.next(), "item 1");
  CHECK(items.next() == 2);
}

TEST_CASE("the error for a thread that cannot be started contains a remedy") {
  const dlscale::test::NoThreads full;
  const auto make_nothing = [] { return [](std::int64_t i) { return i; }; };
  CHECK_THROWS_WITH((InOrder<std::int64_t>(10, 4, make_nothing)),
                    Catch::StartsWith("cannot start a thread: Resource temporarily") &&
                        Catch::EndsWith("(ulimit -u)"));
}

TEST_CASE("an exception while creating a maker reaches the caller") {
  int made = 0;
  const auto make_two = [&]() -> InOrder<int>::Maker {
    if (++made == 3) throw std::runtime_error("no third one");
    return [](std::int64_t) { return 0; };
  };
  CHECK_THROWS_WITH((InOrder<int>(10, 4, make_two)), "no third one");
}
