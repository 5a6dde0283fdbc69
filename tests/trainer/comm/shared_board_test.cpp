// SPDX-License-Identifier: Apache-2.0
// Tests of ranks that wait for each other in shared memory, including ranks that have left.
#include "trainer/comm/shared_board.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>

#include "base/error.hpp"
#include "trainer/comm/single.hpp"
#include "trainer/comm/thread.hpp"

using namespace dlscale::trainer;

namespace {

/// Returns memory that a forked process shares.
std::byte* shared_memory(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return static_cast<std::byte*>(memory);
}

}  // namespace

TEST_CASE("waiting for a rank that has left fails beyond its last recorded progress") {
  std::byte* memory = shared_memory(SharedBoard::bytes(2));
  SharedBoard mine(memory, 0, 2);
  mine.tell(Progress::given, 9);
  std::make_unique<SharedBoard>(memory, 1, 2)->tell(Progress::given, 5);
  CHECK_NOTHROW(mine.wait(Progress::given, 5));
  CHECK_THROWS_WITH(mine.wait(Progress::given, 6), "rank 1 has left while others wait for it");
}

TEST_CASE("waiting for a process that ended without leaving fails") {
  std::byte* memory = shared_memory(SharedBoard::bytes(2));
  SharedBoard mine(memory, 0, 2);
  mine.tell(Progress::taken, 9);
  const pid_t child = ::fork();
  if (child == 0) {
    auto* theirs = new SharedBoard(memory, 1, 2);
    theirs->tell(Progress::taken, 5);
    ::_exit(0);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK_NOTHROW(mine.wait(Progress::taken, 5));
  CHECK_THROWS_WITH(mine.wait(Progress::taken, 6), "rank 1 has left while others wait for it");
}

TEST_CASE(
    "different calls are reported to every rank, and calls of other rounds are not compared") {
  std::byte* memory = shared_memory(SharedBoard::bytes(2));
  SharedBoard mine(memory, 0, 2), theirs(memory, 1, 2);
  mine.show(6, {.count = 10});
  theirs.show(6, {.count = 10});
  theirs.show(7, {.count = 11});
  CHECK_NOTHROW(mine.require_same(6));
  mine.show(7, {.count = 11, .op = ReduceOp::max});
  CHECK_THROWS_WITH(mine.require_same(7), "ranks 0 and 1 call different collectives");
  CHECK_THROWS_WITH(theirs.require_same(7), "ranks 0 and 1 call different collectives");
}

TEST_CASE("a shared segment is the same memory on all ranks and initially zero") {
  run_as_threads(3, [](Communicator& ranks) {
    const auto segment = SharedSegment::make(ranks, 100);
    if (!segment || segment->data()[99] != std::byte{0}) throw std::runtime_error("not zero");
    ranks.barrier();
    if (ranks.rank() == 1) segment->data()[99] = std::byte{7};
    ranks.barrier();
    if (segment->data()[99] != std::byte{7}) throw std::runtime_error("not the same");
  });
  SUCCEED();
}

TEST_CASE("a shared segment that does not fit into memory is null") {
  CHECK(SharedSegment::make(*make_single(), std::size_t{1} << 50) == nullptr);
}
