// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/shared_segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <random>

namespace dlscale::trainer {
namespace {

using Name = std::array<char, 64>;

/// Where a segment begins: what tells it from another node's of the same name.
struct Mark {
  std::uint64_t token;
};
constexpr std::size_t kMarkBytes = 4096;

/// -1 when there is no such segment or no room for it. Room is taken now: a write to memory that
/// turns out not to be there would kill the process.
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

}  // namespace dlscale::trainer
