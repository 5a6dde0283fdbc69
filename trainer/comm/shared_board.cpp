// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/shared_board.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/rank_process.hpp"

namespace dlscale::trainer {
namespace {

using Name = std::array<char, 64>;

/// Header of a segment. Rank 0 writes a random token to the segment. Another rank that does not
/// find this token has opened a different segment, for example on another node.
struct Mark {
  std::uint64_t token;
};
constexpr std::size_t kMarkBytes = 4096;

/// Opens or creates the segment and returns its file descriptor. Returns -1 when the segment does
/// not exist or memory is short. All memory of a new segment is reserved here. Otherwise, a later
/// write would kill the process if the system had no memory left.
int open_segment(const Name& name, int flags, std::size_t bytes) {
  const int file = ::shm_open(name.data(), flags, 0600);
  if (file < 0 || (flags & O_CREAT) == 0) return file;
  if (::posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0) return file;
  ::close(file);
  ::shm_unlink(name.data());
  return -1;
}

std::byte* map(int file, std::size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
}

std::uint64_t random_token() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

std::unique_ptr<SharedSegment> SharedSegment::make(Communicator& ranks, std::size_t bytes) {
  const std::size_t all = bytes + kMarkBytes;
  std::uint64_t token = random_token();
  ranks.broadcast({&token, sizeof token, ElementType::uint8}, 0);
  Name name{};
  fmt::format_to_n(name.data(), name.size() - 1, "/dlscale-{:016x}", token);

  std::byte* memory = nullptr;
  const bool first = ranks.rank() == 0;
  if (first) {
    const int file = open_segment(name, O_CREAT | O_EXCL | O_RDWR, all);
    if (file >= 0) memory = map(file, all);
    if (memory) reinterpret_cast<Mark*>(memory)->token = token;
  }
  ranks.barrier();
  if (!first) {
    const int file = open_segment(name, O_RDWR, all);
    if (file >= 0) memory = map(file, all);
  }
  std::int32_t there = memory && reinterpret_cast<Mark*>(memory)->token == token ? 1 : 0;
  ranks.all_reduce({&there, 1, ElementType::int32}, ReduceOp::min);
  if (first) ::shm_unlink(name.data());
  if (there != 0) return std::unique_ptr<SharedSegment>(new SharedSegment(memory, all));
  if (memory) ::munmap(memory, all);
  return nullptr;
}

std::byte* SharedSegment::data() const {
  return memory_ + kMarkBytes;
}

SharedSegment::~SharedSegment() {
  ::munmap(memory_, bytes_);
}

namespace {

constexpr std::size_t kBoardLine = 64;

/// Sequence of steps of a wait. The rank first polls, then yields the core between polls, and then
/// sleeps between polls. The comment of wait_quietly() in mpi.cpp explains why.
class RetryPolicy {
 public:
  /// Pauses according to the present step. Returns true once in many calls, to let the caller check
  /// whether the other process still exists. This check is too slow for every call.
  bool step() {
    using Clock = std::chrono::steady_clock;
    if (++steps_ < kLooks) return false;
    if (steps_ == kLooks) begin_ = Clock::now();
    if (sleeps_ == 0 && Clock::now() - begin_ < kYielding) {
      ::sched_yield();
      return false;
    }
    std::this_thread::sleep_for(kSleep);
    return ++sleeps_ % kSleepsBetweenLooks == 0;
  }

 private:
  static constexpr int kLooks = 200;
  static constexpr std::chrono::microseconds kYielding{200};
  static constexpr std::chrono::microseconds kSleep{50};
  static constexpr int kSleepsBetweenLooks = 1000;
  int steps_ = 0;
  int sleeps_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace

/// Entry of a rank on the board. Data that different ranks write lies on different cache lines.
struct SharedBoard::BoardSlot {
  alignas(kBoardLine) std::atomic<std::uint64_t> given;
  std::array<SharedCall, 2> calls;  ///< calls of the latest even and the latest odd round
  alignas(kBoardLine) std::atomic<std::uint64_t> taken;
  alignas(kBoardLine) std::atomic<bool> left;
  std::atomic<pid_t> process;
  std::atomic<std::uint64_t> process_space;

  const std::atomic<std::uint64_t>& rounds(Progress what) const {
    return what == Progress::given ? given : taken;
  }
};

std::size_t SharedBoard::bytes(int size) {
  return static_cast<std::size_t>(size) * sizeof(BoardSlot);
}

SharedBoard::SharedBoard(std::byte* memory, int rank, int size)
    : places_(reinterpret_cast<BoardSlot*>(memory)), rank_(rank), size_(size) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  BoardSlot* mine = std::construct_at(places_ + rank);
  mine->process_space = process_space();
  mine->process = ::getpid();
}

SharedBoard::~SharedBoard() {
  places_[rank_].left = true;
}

void SharedBoard::tell(Progress what, std::uint64_t rounds) {
  BoardSlot& mine = places_[rank_];
  (what == Progress::given ? mine.given : mine.taken).store(rounds, std::memory_order_release);
}

void SharedBoard::wait(Progress what, std::uint64_t rounds) const {
  RetryPolicy patience;
  for (int rank = 0; rank < size_; ++rank) {
    const auto& told = places_[rank].rounds(what);
    const auto there = [&] { return told.load(std::memory_order_acquire) >= rounds; };
    while (!there()) {
      const bool gone = places_[rank].left || (patience.step() && has_gone(rank));
      if (!gone || there()) continue;
      throw base::RunError(fmt::format("rank {} has left while others wait for it", rank),
                           contract::kExitCommunication);
    }
  }
}

bool SharedBoard::has_gone(int rank) const {
  const BoardSlot& place = places_[rank];
  const pid_t process = place.process;
  const bool visible = process != 0 && place.process_space == process_space();
  return visible && has_ended(process);
}

void SharedBoard::show(std::uint64_t round, const SharedCall& call) {
  places_[rank_].calls[round % 2] = call;
}

void SharedBoard::require_same(std::uint64_t round) const {
  for (int rank = 1; rank < size_; ++rank) {
    if (places_[rank].calls[round % 2] == places_[0].calls[round % 2]) continue;
    throw base::RunError(fmt::format("ranks 0 and {} call different collectives", rank),
                         contract::kExitCommunication);
  }
}

}  // namespace dlscale::trainer
