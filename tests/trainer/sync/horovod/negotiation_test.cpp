// SPDX-License-Identifier: Apache-2.0
// Tests of single negotiation cycles.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/fake_clock.hpp"
#include "tests/trainer/sync/horovod/ranks.hpp"
#include "trainer/sync/horovod/negotiation.hpp"

using namespace dlscale;
using namespace dlscale::trainer::horovod;
using test::Groups;
using test::requests;
using trainer::Communicator;
using trainer::ElementType;
using Names = std::vector<std::string>;

namespace {

constexpr std::int64_t kUnlimited = std::int64_t{1} << 40;

/// State of one rank in a negotiation.
struct Side {
  explicit Side(Communicator& rank, Negotiation::Options options = {kUnlimited, 1024, 60})
      : negotiation(rank, clock, options, nullptr) {
    negotiation.on_stall([this](const std::string& text) { warnings.push_back(text); });
  }
  ResponseList cycle(std::vector<Request> arrived = {}, bool shut_down = false) {
    return negotiation.cycle(std::move(arrived), shut_down);
  }
  Groups groups(std::vector<Request> arrived = {}) {
    return test::groups_of(cycle(std::move(arrived)).responses);
  }
  /// Runs one cycle and returns the number of control bytes of the cycle.
  std::int64_t bytes_of_cycle(std::vector<Request> arrived = {}) {
    const std::int64_t before = negotiation.counters().control_bytes;
    cycle(std::move(arrived));
    return negotiation.counters().control_bytes - before;
  }

  test::FakeClock clock;
  Names warnings;
  Negotiation negotiation;
};

template <class Result>
void check_all(const std::vector<Result>& found, const Result& expected) {
  for (const Result& result : found) CHECK(result == expected);
}

}  // namespace

TEST_CASE("ranks that submit in different orders get the same groups, uncached and cached") {
  for (const int ranks : {1, 2, 3, 4}) {
    const auto found = test::on_ranks<std::vector<Groups>>(ranks, [](Communicator& rank) {
      Side side(rank, {32, 1024, 60});
      Names names{"a", "b", "c", "d", "e"};
      std::rotate(names.begin(), names.begin() + rank.rank(), names.end());
      std::vector<Groups> cycles;
      for (int i = 0; i < 3; ++i) cycles.push_back(side.groups(requests(names)));
      return cycles;
    });
    for (const auto& cycles : found) {
      CHECK(cycles == found[0]);
      CHECK(cycles[0].size() == 3);
      CHECK(cycles[1].size() == 3);
      CHECK(cycles[2] == cycles[1]);
    }
  }
}

TEST_CASE("a tensor that one rank lacks waits until that rank submits it") {
  const auto late_by = [](bool cached) {
    return test::on_ranks<Groups>(3, [cached](Communicator& rank) {
      Side side(rank);
      if (cached) side.cycle(requests({"a", "b"}));
      Groups all = side.groups(requests(rank.rank() == 1 ? Names{"b"} : Names{"a", "b"}));
      for (const auto& group : side.groups()) all.push_back(group);
      all.push_back({"and then"});
      for (const auto& group : side.groups(requests(rank.rank() == 1 ? Names{"a"} : Names{}))) {
        all.push_back(group);
      }
      return all;
    });
  };
  check_all(late_by(false), Groups{{"b"}, {"and then"}, {"a"}});
  check_all(late_by(true), Groups{{"b"}, {"and then"}, {"a"}});
}

TEST_CASE("a stalled tensor is reported with the missing ranks, cached or not") {
  for (const bool cached : {false, true}) {
    const auto warnings = test::on_ranks<Names>(3, [cached](Communicator& rank) {
      Side side(rank);
      if (cached) side.cycle(requests({"weight"}));
      side.cycle(rank.rank() == 1 ? requests({}) : requests({"weight"}));
      side.clock.now_s = 59;
      side.cycle();
      if (!side.warnings.empty()) return Names{"too early"};
      side.clock.now_s = 60;
      side.cycle();
      // The tensor is still reduced once the missing rank has submitted it.
      if (side.groups(rank.rank() == 1 ? requests({"weight"}) : requests({})).size() != 1) {
        return Names{"lost"};
      }
      return side.warnings;
    });
    CHECK(warnings[0] ==
          Names{"horovod: some ranks have waited more than 60 s for other ranks to reduce "
                "\"weight\" (missing: rank 1)"});
    CHECK(warnings[1].empty());
    CHECK(warnings[2].empty());
  }
}

TEST_CASE("with threshold 0 each tensor is reduced alone, and without limit each type at once") {
  const auto groups_with = [](std::int64_t threshold) {
    return test::on_ranks<Groups>(2, [threshold](Communicator& rank) {
      Side side(rank, {threshold, 1024, 60});
      auto tensors = requests({"a", "b"});
      for (const auto& half : requests({"c", "d"}, {4}, ElementType::float16)) {
        tensors.insert(tensors.begin() + 1, half);
      }
      return side.groups(tensors);
    });
  };
  check_all(groups_with(0), Groups{{"a"}, {"d"}, {"c"}, {"b"}});
  check_all(groups_with(kUnlimited), Groups{{"a", "b"}, {"d", "c"}});
}

TEST_CASE("cached tensors need one word per 64 tensors and no request") {
  Names names;
  for (int i = 0; i < 126; ++i) names.push_back("layer" + std::to_string(i));
  const auto bytes = test::on_ranks<std::vector<std::int64_t>>(3, [&](Communicator& rank) {
    Side side(rank);
    std::vector<std::int64_t> cycles;
    for (int i = 0; i < 3; ++i) cycles.push_back(side.bytes_of_cycle(requests(names)));
    cycles.push_back(side.negotiation.counters().slow_cycles);
    return cycles;
  });
  for (const auto& cycles : bytes) {
    CHECK(cycles[0] > 126 * 8);
    CHECK(cycles[1] == 3 * 8);  // one bit each for 126 tensors and 3 flags
    CHECK(cycles[2] == 3 * 8);
    CHECK(cycles[3] == 1);
  }
}

TEST_CASE("a cycle without tensors takes one word, and without cache it asks rank 0") {
  const auto bytes = test::on_ranks<std::int64_t>(2, [](Communicator& rank) {
    Side side(rank);
    const std::int64_t first = side.bytes_of_cycle();
    for (int i = 0; i < 9; ++i) side.cycle();
    return first == 8 ? side.negotiation.counters().control_bytes : -1;
  });
  check_all<std::int64_t>(bytes, 80);
  const auto slow = test::on_ranks<std::int64_t>(2, [](Communicator& rank) {
    Side side(rank, {kUnlimited, 0, 60});
    for (int i = 0; i < 10; ++i) side.cycle();
    return side.negotiation.counters().slow_cycles;
  });
  check_all<std::int64_t>(slow, 10);
}

TEST_CASE("a tensor whose shape changes on all ranks is negotiated again and cached again") {
  const auto slow = test::on_ranks<std::vector<std::int64_t>>(3, [](Communicator& rank) {
    Side side(rank);
    for (int i = 0; i < 2; ++i) side.cycle(requests({"a", "b"}));
    std::vector<std::int64_t> result;
    for (int i = 0; i < 2; ++i) {
      auto tensors = requests({"a"}, {5});
      tensors.push_back(requests({"b"})[0]);
      const ResponseList answer = side.cycle(tensors);
      result.push_back(answer.responses.empty() ? -1 : answer.responses[0].count);
    }
    result.push_back(side.negotiation.counters().slow_cycles);
    result.push_back(side.negotiation.counters().invalidations);
    return result;
  });
  check_all(slow, {9, 9, 2, 1});
}

TEST_CASE(
    "a shape or type that changes on one rank is an error on all ranks for that tensor only") {
  for (const bool cached : {false, true}) {
    for (const bool other_type : {false, true}) {
      const auto found = test::on_ranks<Names>(3, [&](Communicator& rank) {
        Side side(rank);
        if (cached) side.cycle(requests({"a", "b"}));
        auto tensors = requests({"b"});
        const bool differs = rank.rank() == 1;
        tensors.push_back(
            requests({"a"}, {differs && !other_type ? 5 : 4},
                     differs && other_type ? ElementType::float64 : ElementType::float32)[0]);
        Names texts;
        for (const Response& response : side.cycle(tensors).responses) {
          texts.push_back(response.names.front() + response.error);
        }
        return texts;
      });
      const std::string theirs = other_type ? "float64 [4]" : "float32 [5]";
      check_all(found, {"b",
                        "ahorovod: ranks disagree on \"a\": rank 0 has float32 [4], rank 1 "
                        "has " +
                            theirs});
    }
  }
}

TEST_CASE("a cache that is too small for the model is slower but reduces every tensor") {
  const auto found = test::on_ranks<std::int64_t>(3, [](Communicator& rank) {
    Side side(rank, {kUnlimited, 2, 60});
    std::size_t reduced = 0;
    for (int i = 0; i < 5; ++i) {
      for (const auto& group : side.groups(requests({"a", "b", "c"}))) reduced += group.size();
    }
    return reduced == 15 ? side.negotiation.counters().slow_cycles : -1;
  });
  check_all<std::int64_t>(found, 5);
}

TEST_CASE("all ranks receive a shutdown in the same cycle, with and without cache") {
  for (const int capacity : {1024, 0}) {
    const auto heard = test::on_ranks<int>(3, [&](Communicator& rank) {
      Side side(rank, {kUnlimited, capacity, 60});
      if (side.cycle(requests({"a"})).shut_down) return 0;
      return side.cycle(requests({"a", "b"}), rank.rank() == 2).shut_down ? 1 : 0;
    });
    check_all(heard, 1);
  }
}
