// SPDX-License-Identifier: Apache-2.0
// Tests of communicators whose ranks are processes. The test cases run under mpirun.
#include "trainer/comm/mpi.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "tests/trainer/comm/calls.hpp"
#include "tests/trainer/comm/collective_suite.hpp"
#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/algorithms/with_all_reduce.hpp"
#include "trainer/comm/collective_queue.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

/// Returns the number of different results among elements that are each the sum of 1e8, 3 and -1e8.
std::size_t different_sums(const char* name, MpiSession& session) {
  session.choose_all_reduce(name);
  const std::vector<float> terms{1e8F, 3, -1e8F};
  std::vector<float> data(30000, terms.at(static_cast<std::size_t>(session.rank())));
  make_mpi(session)->all_reduce({data.data(), 30000, ElementType::float32}, ReduceOp::sum);
  return std::set<float>(data.begin(), data.end()).size();
}

/// Runs two communication threads at the same time, one over MPI and one through shared memory.
void check_queues(const MpiSession& session) {
  const base::SystemClock clock;
  const auto whole = make_mpi(session);
  const auto part = with_all_reduce(whole->split(0), "auto");
  CollectiveQueue plain(*whole, clock), shared(*part, clock);
  constexpr int kRounds = 200;
  std::vector<std::int64_t> sums(2 * kRounds, session.rank());
  std::vector<std::shared_ptr<Work>> works;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    CollectiveQueue& queue = i % 2 == 0 ? plain : shared;
    works.push_back(queue.all_reduce({&sums[i], 1, ElementType::int64}, ReduceOp::sum));
  }
  for (const auto& work : works) work->wait();
  const int size = session.size();
  for (const std::int64_t sum : sums) {
    if (sum != size * (size - 1) / 2) throw std::runtime_error("a wrong sum");
  }
}

/// Runs 200 steps of calls through the communication thread of MPI. Each rank is delayed at random
/// times: while it computes, before it waits, and inside the communication thread.
void check_interleavings(const MpiSession& session) {
  const base::SystemClock clock;
  const auto ranks = make_mpi(session);
  CollectiveQueue queue(*ranks, clock);
  std::mt19937 random(static_cast<unsigned>(session.rank()));
  const auto be_late = [&random] {
    if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
  };
  const int size = session.size(), next = (session.rank() + 1) % size;
  const int previous = (session.rank() + size - 1) % size;
  const std::int64_t sum = size * (size - 1) / 2;
  for (std::int64_t step = 0; step < 200; ++step) {
    std::int64_t small = session.rank() + step, root = step, from = -1;
    std::vector<std::int64_t> large(20000, session.rank());
    const auto one = [](std::int64_t& number) { return Span{&number, 1, ElementType::int64}; };
    const auto late = queue.run([&](Communicator&) { be_late(); });
    late->wait();
    const std::vector<std::shared_ptr<Work>> works{
        queue.all_reduce({large.data(), 20000, ElementType::int64}, ReduceOp::sum),
        queue.all_reduce(one(small), ReduceOp::max),
        queue.exchange(one(root), next, one(from), previous),
        queue.broadcast(one(root), static_cast<int>(step) % size)};
    for (const auto& work : works) {
      be_late();
      work->wait();
    }
    if (small != size - 1 + step || from != step || root != step || large.back() != sum) {
      throw std::runtime_error("a wrong result");
    }
  }
}

/// Checks that an empty message synchronises both ranks and is not counted as a call.
void check_signals(const MpiSession& session) {
  if (session.size() == 1) return;
  const auto ranks = make_mpi(session);
  const auto before = ranks->stats().collectives;
  const auto begin = std::chrono::steady_clock::now();
  if (session.rank() == 0) ranks->send({}, 1);
  if (session.rank() == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ranks->receive({}, 0);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (session.rank() == 0 && taken.count() < 0.03) throw std::runtime_error("sent to nobody");
  if (ranks->stats().collectives != before) throw std::runtime_error("a signal was counted");
}

}  // namespace

TEST_CASE("MPI ranks pass the collective suite and know their placement", "[.mpi]") {
  MpiSession session;
  const auto whole = make_mpi(session);
  CHECK_NOTHROW(test::check_collectives(*whole, {0, 1, 17, 1000}));
  CHECK_NOTHROW(test::check_collectives_of(*whole, ElementType::float32, (1 << 18) + 3));
  CHECK_NOTHROW(test::check_splits(*whole));
  CHECK_NOTHROW(test::check_counters(*whole));
  // Limits each call to 300 elements, to test how larger data is split over several calls.
  CHECK_NOTHROW(test::check_collectives(*make_mpi(session, 300), {0, 1, 300, 301, 1000}));

  for (const AllReduceEntry* entry : all_reduce_table()) {
    INFO(entry->name);
    const auto chosen = with_all_reduce(make_mpi(session), entry->name);
    CHECK_NOTHROW(test::check_all_reduces(*chosen, {0, 1, 17, 70000}));
    CHECK_NOTHROW(test::check_splits(*chosen));
  }

  CHECK_NOTHROW(check_queues(session));
  CHECK_NOTHROW(check_interleavings(session));
  CHECK_NOTHROW(make_mpi(session)->barrier());
  CHECK_NOTHROW(check_signals(session));

  const Placement placement = session.placement();
  CHECK(placement.hostnames.size() == static_cast<std::size_t>(session.size()));
  CHECK(placement.hostnames.front() == placement.hostnames.back());
  CHECK_FALSE(placement.hostnames[0].empty());
  CHECK(placement.local_rank == session.rank());
  CHECK(placement.nodes == 1);
}

TEST_CASE("Open MPI's own all-reduces can be selected by name", "[.openmpi]") {
  MpiSession session;
  session.choose_all_reduce("ring");
  CHECK(session.all_reduce() == "tuned");
  for (const char* name : {"openmpi:ring", "openmpi:recursive_doubling", "openmpi:rabenseifner"}) {
    session.choose_all_reduce(name);
    const auto ranks = with_all_reduce(make_mpi(session), name);
    CHECK(ranks->all_reduce_name() == name);
    CHECK(ranks->split(0)->all_reduce_name() == name);
    CHECK_NOTHROW(test::check_all_reduces(*ranks, {0, 1, 17, 70000}));
  }
  // A ring starts the sum of each part of the data at a different rank. Doubling starts all sums at
  // the same rank.
  CHECK(different_sums("openmpi:ring", session) > 1);
  CHECK(different_sums("openmpi:recursive_doubling", session) == 1);
  session.choose_all_reduce("auto");
  CHECK(make_mpi(session)->all_reduce_name() == "tuned");
  CHECK_THROWS_WITH(
      session.choose_all_reduce("openmpi:rign"),
      Catch::Contains("Open MPI has no all-reduce \"rign\"; the available names are ") &&
          Catch::Contains("recursive_doubling"));
}

TEST_CASE("different collectives on MPI ranks are reported to all ranks", "[.differ]") {
  const MpiSession session;
  REQUIRE(session.size() == 3);
  for (const AllReduceEntry* entry : all_reduce_table()) {
    for (const auto& [one, other] : test::differing_pairs()) {
      INFO(entry->name << ": " << one.name << " while rank 1 calls " << other.name);
      const auto ranks = with_all_reduce(make_mpi(session), entry->name);
      CHECK_THROWS_WITH((session.rank() == 1 ? other : one).run(*ranks),
                        Catch::Contains("other ranks make a different call") ||
                            Catch::Contains("call different collectives"));
    }
  }
  const auto ranks = make_mpi(session);
  double numbers[4] = {};
  if (session.rank() == 0) ranks->send({numbers, 3, ElementType::float64}, 1);
  if (session.rank() == 1) {
    CHECK_THROWS_WITH(ranks->receive({numbers, 4, ElementType::float64}, 0),
                      "rank 1 expects 4 elements, but rank 0 sends 3");
  }
}

TEST_CASE("an MPI rank that aborts ends the other ranks", "[.abort]") {
  const MpiSession session;
  const auto communicator = make_mpi(session);
  if (session.rank() == 1) session.abort(4);
  communicator->barrier();
}

TEST_CASE("an exception that leaves an MPI session ends the other ranks", "[.unwind]") {
  const MpiSession session;
  const auto communicator = make_mpi(session);
  if (session.rank() == 1) throw std::runtime_error("this rank fails");
  communicator->barrier();
}

TEST_CASE("a killed MPI rank does not leave other ranks waiting in shared memory", "[.killed]") {
  const MpiSession session;
  const auto ranks = with_all_reduce(make_mpi(session), "shared_memory");
  std::vector<float> data(100000);
  for (int round = 0;; ++round) {
    if (session.rank() == 1 && round == 3) std::raise(SIGKILL);
    ranks->all_reduce({data.data(), 100000, ElementType::float32}, ReduceOp::sum);
  }
}

TEST_CASE("the MPI library reports its name and version") {
  CHECK(mpi_version().find("MPI ") != std::string::npos);
  CHECK(mpi_version().find('\n') == std::string::npos);
}
