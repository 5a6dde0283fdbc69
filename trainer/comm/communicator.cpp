// SPDX-License-Identifier: Apache-2.0
// Functions that all communicators share. They check and count each call and pass the call to the
// transport.
#include "trainer/comm/communicator.hpp"

#include <fmt/format.h>

#include <chrono>
#include <mutex>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/call_number.hpp"

namespace dlscale::trainer {

std::size_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return 1;
    case ElementType::float16:
    case ElementType::bfloat16:
      return 2;
    case ElementType::int32:
    case ElementType::float32:
      return 4;
    case ElementType::int64:
    case ElementType::float64:
      return 8;
  }
  return 0;
}

Span Span::part(std::int64_t first, std::int64_t length) const {
  return {static_cast<std::byte*>(data) + static_cast<std::size_t>(first) * bytes_of(type), length,
          type, memory};
}

/// Totals shared by communicators that different threads use.
class Communicator::Counters {
 public:
  void add(const CommStats& call) {
    const std::lock_guard lock(mutex_);
    sums_.collectives += call.collectives;
    sums_.bytes += call.bytes;
    sums_.busy_s += call.busy_s;
    sums_.wait_s += call.wait_s;
  }
  CommStats sums() const {
    const std::lock_guard lock(mutex_);
    return sums_;
  }

 private:
  mutable std::mutex mutex_;
  CommStats sums_;
};

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw base::RunError(why, contract::kExitCommunication);
}

/// Throws unless `whole` has `ranks` times as many elements as `part`, with the same element type
/// and in the same kind of memory.
void require_parts(const char* call, const Span& whole, const Span& part, int ranks) {
  if (whole.memory != part.memory)
    refuse(fmt::format("{} needs all arrays in the same kind of memory", call));
  if (whole.count == part.count * ranks && whole.type == part.type) return;
  refuse(fmt::format(
      "{}: the whole array has {} elements, but must have {} parts of {} elements of the same type",
      call, whole.count, ranks, part.count));
}

void require_bits(const Span& data, ReduceOp op) {
  const bool has_bits = data.type == ElementType::uint8 || data.type == ElementType::int32 ||
                        data.type == ElementType::int64;
  if (op == ReduceOp::bit_and && !has_bits) refuse("bit_and reduces integers only");
}

}  // namespace

Communicator::Communicator(int rank, int size)
    : rank_(rank), size_(size), counters_(std::make_shared<Counters>()) {}

Communicator::~Communicator() = default;

template <class Call>
void Communicator::count(std::size_t bytes, const Call& call) {
  using Clock = std::chrono::steady_clock;
  last_wait_s_ = 0;
  const Clock::time_point begin = Clock::now();
  call();
  const std::chrono::duration<double> taken = Clock::now() - begin;
  counters_->add({1, static_cast<std::int64_t>(bytes), taken.count(), last_wait_s_});
}

void Communicator::count_own(const CommStats& exchanged) {
  counters_->add(exchanged);
}

void Communicator::require_rank(int rank, const char* what) const {
  if (rank >= 0 && rank < size_) return;
  refuse(fmt::format("{} is rank {}, but there are {} ranks", what, rank, size_));
}

void Communicator::require_memory(const Span& data) const {
  if (!takes(data.memory)) refuse("this communicator does not accept GPU memory; use \"nccl\"");
}

void Communicator::all_reduce(Span data, ReduceOp op) {
  require_memory(data);
  require_bits(data, op);
  count(data.bytes(), [&] { do_all_reduce(data, op); });
}

void Communicator::reduce_scatter(Span in, Span out, ReduceOp op) {
  require_memory(in);
  require_bits(in, op);
  require_parts("reduce_scatter", in, out, size_);
  count(in.bytes(), [&] { do_reduce_scatter(in, out, op); });
}

void Communicator::all_gather(Span in, Span out) {
  require_memory(in);
  require_parts("all_gather", out, in, size_);
  count(in.bytes(), [&] { do_all_gather(in, out); });
}

void Communicator::broadcast(Span data, int root) {
  require_memory(data);
  require_rank(root, "the root of a broadcast");
  count(data.bytes(), [&] { do_broadcast(data, root); });
}

void Communicator::reduce(Span data, ReduceOp op, int root) {
  require_memory(data);
  require_bits(data, op);
  require_rank(root, "the root of a reduction");
  count(data.bytes(), [&] { do_reduce(data, op, root); });
}

void Communicator::exchange(Span out, int to, Span in, int from) {
  require_memory(out);
  require_memory(in);
  if (to != kNobody) require_rank(to, "the receiver of an exchange");
  if (from != kNobody) require_rank(from, "the sender of an exchange");
  if (out.count == 0 && in.count == 0) return do_exchange(out, to, in, from);
  count(to == kNobody ? 0 : out.bytes(), [&] { do_exchange(out, to, in, from); });
}

void Communicator::barrier() {
  check_same_call({"barrier", {}});
}

void Communicator::check_same_call(const NamedCollective& call) {
  count(0, [&] { do_check_same_call(call); });
}

std::unique_ptr<Communicator> Communicator::split(int color) {
  if (color < 0) refuse(fmt::format("the color of a rank must be at least 0 (got {})", color));
  auto part = do_split(color);
  part->counters_ = counters_;
  return part;
}

CommStats Communicator::stats() const {
  return counters_->sums();
}

}  // namespace dlscale::trainer
