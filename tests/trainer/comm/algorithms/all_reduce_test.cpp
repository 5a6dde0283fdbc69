// SPDX-License-Identifier: Apache-2.0
// Tests of every all-reduce algorithm in the table: results, bytes sent and errors.
#include "trainer/comm/algorithms/all_reduce.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/trainer/comm/calls.hpp"
#include "tests/trainer/comm/collective_suite.hpp"
#include "trainer/comm/algorithms/hierarchical.hpp"
#include "trainer/comm/algorithms/with_all_reduce.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

std::unique_ptr<Communicator> with(const std::string& name, Communicator& ranks) {
  return with_all_reduce(std::make_unique<Overlay>(ranks), name);
}

/// Returns the number of bytes that each of `size` ranks sends in one all-reduce of `count` floats.
std::vector<std::int64_t> bytes_sent(const std::string& name, int size, std::int64_t count) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(size));
  run_as_threads(size, [&](Communicator& ranks) {
    const auto chosen = with(name, ranks);
    std::vector<float> data(static_cast<std::size_t>(count));
    const std::int64_t before = ranks.stats().bytes;
    chosen->all_reduce({data.data(), count, ElementType::float32}, ReduceOp::sum);
    bytes[static_cast<std::size_t>(ranks.rank())] = ranks.stats().bytes - before;
  });
  return bytes;
}

/// Returns the number of ranks, out of three, that receive an error.
int ranks_told(const std::string& name, const std::function<void(Communicator&)>& body) {
  std::atomic<int> told{0};
  run_as_threads(3, [&](Communicator& ranks) {
    const auto chosen = with(name, ranks);
    try {
      body(*chosen);
    } catch (const base::RunError&) {
      ++told;
    }
  });
  return told;
}

using Bytes = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("every all-reduce passes the suite, also on split communicators") {
  for (const AllReduceEntry* entry : all_reduce_table()) {
    INFO(entry->name);
    for (const int size : {1, 2, 3, 4, 5}) {
      CHECK_NOTHROW(run_as_threads(size, [&](Communicator& ranks) {
        const auto chosen = with(entry->name, ranks);
        test::check_all_reduces(*chosen, {0, 1, 7, 1000});
        test::check_collectives(*chosen, {0, 3});
        test::check_collectives_of(*chosen, ElementType::float32, 150001);
        test::check_splits(*chosen);
        test::check_counters(*chosen);
      }));
    }
  }
}

TEST_CASE("an all-reduce reports its own name or the algorithm that it selects") {
  std::map<std::string, std::string> names;
  run_as_threads(2, [&](Communicator& ranks) {
    for (const AllReduceEntry* entry : all_reduce_table()) {
      const auto chosen = with(entry->name, ranks);
      if (ranks.rank() == 0) names[entry->name] = chosen->split(0)->all_reduce_name();
      if (ranks.rank() == 1) chosen->split(0);
    }
  });
  CHECK(names.at("auto") == "shared_memory");
  names.erase("auto");
  for (const auto& [name, said] : names) CHECK(name == said);
  CHECK(with_all_reduce(make_single(), "auto")->all_reduce_name() == "tuned");
}

TEST_CASE("an unknown all-reduce is rejected") {
  CHECK_THROWS_WITH(with_all_reduce(make_single(), "star"), "there is no all-reduce \"star\"");
}

TEST_CASE("a ring sends 2 (N-1)/N of the data, also with uneven parts") {
  CHECK(bytes_sent("ring", 1, 1000) == Bytes{0});
  CHECK(bytes_sent("ring", 2, 1000) == Bytes(2, 4000));
  CHECK(bytes_sent("ring", 4, 1000) == Bytes(4, 6000));
  // The parts have 3, 3 and 4 of the 10 elements. A rank sends all elements twice, except the parts
  // of its two successors.
  CHECK(bytes_sent("ring", 3, 10) == Bytes{80 - 12 - 16, 80 - 16 - 12, 80 - 12 - 12});
}

TEST_CASE("recursive doubling sends log2 N times the data") {
  CHECK(bytes_sent("recursive_doubling", 2, 1000) == Bytes(2, 4000));
  CHECK(bytes_sent("recursive_doubling", 4, 1000) == Bytes(4, 8000));
  // Rank 0 does not take part in the doubling. It sends its data to rank 1 and receives the result
  // from rank 1.
  CHECK(bytes_sent("recursive_doubling", 3, 1000) == Bytes{4000, 8000, 4000});
}

TEST_CASE("recursive halving and doubling sends 2 (N-1)/N of the data") {
  CHECK(bytes_sent("rabenseifner", 2, 1000) == Bytes(2, 4000));
  CHECK(bytes_sent("rabenseifner", 4, 1000) == Bytes(4, 6000));
  CHECK(bytes_sent("rabenseifner", 3, 1000) == Bytes{4000, 8000, 4000});
}

TEST_CASE(
    "shared memory sends no bytes, and the transport's own all-reduce counts its bytes once") {
  CHECK(bytes_sent("shared_memory", 3, 1000) == Bytes(3, 0));
  CHECK(bytes_sent("tuned", 3, 1000) == Bytes(3, 4000));
}

TEST_CASE("only one rank of each node sends data to other nodes") {
  run_as_threads(5, [](Communicator& ranks) {
    const auto all_reduce = make_hierarchical(ranks, ranks.rank() / 3);
    for (const std::int64_t count : {0, 1, 100000}) {
      std::vector<double> data(static_cast<std::size_t>(count), ranks.rank());
      const std::int64_t before = ranks.stats().bytes;
      all_reduce->run(ranks, {data.data(), count, ElementType::float64}, ReduceOp::sum);
      for (const double sum : data) {
        if (sum != 10) throw std::runtime_error("a wrong sum");
      }
      // All ranks take part in the broadcast. Only the leaders take part in a second call.
      const std::int64_t times = ranks.rank() % 3 == 0 ? 2 : 1;
      if (ranks.stats().bytes - before != times * count * 8) throw std::runtime_error("bytes");
    }
  });
  SUCCEED();
}

TEST_CASE("every all-reduce reports a rank that has left to the other ranks") {
  for (const AllReduceEntry* entry : all_reduce_table()) {
    INFO(entry->name);
    CHECK(ranks_told(entry->name, [&](Communicator& chosen) {
            test::different_calls()[0].run(chosen);
            if (chosen.rank() != 1) test::different_calls()[0].run(chosen);
          }) == 2);
  }
}

TEST_CASE("every all-reduce reports different calls to all ranks") {
  for (const AllReduceEntry* entry : all_reduce_table()) {
    for (const auto& [one, other] : test::differing_pairs()) {
      INFO(entry->name << ": " << one.name << " while rank 1 calls " << other.name);
      CHECK(ranks_told(entry->name, [&](Communicator& chosen) {
              (chosen.rank() == 1 ? other : one).run(chosen);
            }) == 3);
    }
  }
}
