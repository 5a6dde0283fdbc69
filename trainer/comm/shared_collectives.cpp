// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/shared_collectives.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "trainer/comm/reduce_elements.hpp"

namespace dlscale::trainer {
namespace {

/// Maximum number of bytes that a rank writes to its slot in a round. Data of this size stays in
/// the processor caches until the other ranks read it.
constexpr std::int64_t kChunkBytes = 256 * 1024;
/// Maximum size in bytes of a message for which every rank reduces all of the data itself. For
/// longer messages, each rank reduces a part, which needs a second wait for the other ranks.
constexpr std::int64_t kSmallBytes = 8 * 1024;
constexpr std::int64_t kCacheLine = 64;
/// Maximum number of ranks. Each chunk is divided into one piece for each rank, and pieces are
/// aligned to cache lines. With too many ranks, a piece would be shorter than a cache line.
constexpr int kMostRanks = 1024;

std::int64_t elements_in(std::int64_t bytes, ElementType type) {
  return bytes / static_cast<std::int64_t>(bytes_of(type));
}

void copy(const Span& from, const Span& to) {
  if (from.count > 0 && from.data != to.data) std::memcpy(to.data, from.data, from.bytes());
}

std::size_t board_bytes(int size) {
  constexpr std::size_t kPage = 4096;
  return (SharedBoard::bytes(size) + kPage - 1) / kPage * kPage;
}

using Kind = SharedCall::Kind;

}  // namespace

std::unique_ptr<SharedCollectives> SharedCollectives::make(Communicator& ranks) {
  if (ranks.size() > kMostRanks) return nullptr;
  const std::size_t slots = 2 * (static_cast<std::size_t>(ranks.size()) + 1);
  auto segment = SharedSegment::make(ranks, board_bytes(ranks.size()) + slots * kChunkBytes);
  if (!segment) return nullptr;
  return std::unique_ptr<SharedCollectives>(new SharedCollectives(std::move(segment), ranks));
}

SharedCollectives::SharedCollectives(std::unique_ptr<SharedSegment> segment,
                                     const Communicator& ranks)
    : rank_(ranks.rank()),
      size_(ranks.size()),
      segment_(std::move(segment)),
      board_(segment_->data(), rank_, size_),
      slots_(segment_->data() + board_bytes(size_)) {}

/// Returns the slot that `rank` writes in `round`, as a span with the count and type of `like`. The
/// additional slot with the index `size_` receives the reduced parts of an all-reduce.
Span SharedCollectives::slot(int rank, std::uint64_t round, const Span& like) const {
  const auto index =
      (round % 2) * (static_cast<std::uint64_t>(size_) + 1) + static_cast<std::uint64_t>(rank);
  return {slots_ + index * kChunkBytes, like.count, like.type};
}

double SharedCollectives::wait_for_call() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  board_.wait(Progress::given, round_ + 1);
  board_.require_same(round_);
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Runs `give` and `read_chunk` for each chunk. `give` writes data of this rank to its slot, and
/// `read_chunk` reads the slots of the other ranks. Returns the seconds until all ranks had
/// arrived.
///
/// A rank overwrites its slot two rounds later, so all ranks must have read the slot by then.
/// Within a call, the loop waits until all ranks have read the slot. The first write of a call
/// needs no such wait, because a rank begins a call only after it has read all data of its earlier
/// calls.
double SharedCollectives::in_rounds(std::int64_t count, std::int64_t most, const Step& give,
                                    const Step& read_chunk) {
  const auto chunk = [&](std::int64_t first, std::uint64_t round) {
    return Chunk{first, std::min(most, count - first), round};
  };
  give(chunk(0, round_));
  board_.tell(Progress::given, round_ + 1);
  const double wait_s = wait_for_call();
  for (std::int64_t first = 0; first == 0 || first < count; first += most) {
    if (first > 0) {
      board_.wait(Progress::given, round_ + 1);
      board_.wait(Progress::taken, round_);
    }
    if (first + most < count) {
      give(chunk(first + most, round_ + 1));
      board_.tell(Progress::given, round_ + 2);
    }
    read_chunk(chunk(first, round_));
    board_.tell(Progress::taken, ++round_);
  }
  return wait_s;
}

double SharedCollectives::all_reduce(const Span& data, ReduceOp op) {
  board_.show(round_, {Kind::all_reduce, data.count, data.type, op});
  return static_cast<std::int64_t>(data.bytes()) <= kSmallBytes ? reduce_small(data, op)
                                                                : reduce_chunks(data, op);
}

double SharedCollectives::reduce_small(const Span& data, ReduceOp op) {
  return in_rounds(
      data.count, std::max<std::int64_t>(data.count, 1),
      [&](const Chunk& chunk) { copy(data, slot(rank_, chunk.round, data)); },
      [&](const Chunk& chunk) {
        copy(slot(0, chunk.round, data), data);
        for (int other = 1; other < size_; ++other)
          reduce_elements(data, slot(other, chunk.round, data), op);
      });
}

/// Reduces large data chunk by chunk. Each rank reduces one part of the chunk, which it reads from
/// the slots of the other ranks. When all parts are reduced, each rank copies the parts that the
/// other ranks have reduced.
double SharedCollectives::reduce_chunks(const Span& data, ReduceOp op) {
  const std::int64_t most = elements_in(kChunkBytes, data.type);
  const auto chunk = [&](std::int64_t first) {
    return data.part(first, std::min(most, data.count - first));
  };
  give_others_parts(chunk(0), round_);
  const double wait_s = wait_for_call();
  for (std::int64_t first = 0; first < data.count; first += most, ++round_) {
    board_.wait(Progress::given, round_ + 1);
    if (first + most < data.count) give_others_parts(chunk(first + most), round_ + 1);
    fold_part(chunk(first), op);
    board_.wait(Progress::taken, round_ + 1);
    fetch_others_parts(chunk(first));
  }
  return wait_s;
}

/// Returns the part of a chunk that `rank` reduces. Each part begins on a separate cache line.
Span SharedCollectives::part_of(const Span& chunk, int rank) const {
  const std::int64_t line = elements_in(kCacheLine, chunk.type);
  const std::int64_t each = (chunk.count + line * size_ - 1) / (line * size_) * line;
  const std::int64_t first = std::min(rank * each, chunk.count);
  return chunk.part(first, std::min(each, chunk.count - first));
}

void SharedCollectives::give_others_parts(const Span& chunk, std::uint64_t round) {
  for (int other = 0; other < size_; ++other) {
    if (other != rank_) copy(part_of(chunk, other), part_of(slot(rank_, round, chunk), other));
  }
  board_.tell(Progress::given, round + 1);
}

/// Reduces this rank's part of the chunk. Every rank adds the terms in ascending order of ranks.
/// The rounding of a sum therefore does not depend on which rank computes it.
void SharedCollectives::fold_part(const Span& chunk, ReduceOp op) {
  const Span mine = part_of(chunk, rank_), result = part_of(slot(size_, round_, chunk), rank_);
  const auto given = [&](int rank) {
    return rank == rank_ ? mine : part_of(slot(rank, round_, chunk), rank_);
  };
  // The sum of the first two terms does not depend on their order. Ranks 0 and 1 can therefore
  // start the sum in the memory of their own term and need no separate memory for it.
  const Span sum = rank_ < 2 ? mine : result;
  if (rank_ >= 2) copy(given(0), sum);
  for (int other = rank_ < 2 ? 0 : 1; other < size_; ++other) {
    if (other != rank_ || rank_ >= 2) reduce_elements(sum, given(other), op);
  }
  copy(sum, rank_ < 2 ? result : mine);
  board_.tell(Progress::taken, round_ + 1);
}

void SharedCollectives::fetch_others_parts(const Span& chunk) {
  for (int other = 0; other < size_; ++other) {
    if (other != rank_) copy(part_of(slot(size_, round_, chunk), other), part_of(chunk, other));
  }
}

double SharedCollectives::reduce_scatter(const Span& in, const Span& out, ReduceOp op) {
  board_.show(round_, {Kind::reduce_scatter, in.count, in.type, op});
  // A slot is divided into pieces of `most` elements, one for each receiving rank.
  const std::int64_t line = elements_in(kCacheLine, in.type);
  const std::int64_t most = elements_in(kChunkBytes, in.type) / size_ / line * line;
  const auto piece = [&](int giver, const Chunk& chunk, int taker) {
    return slot(giver, chunk.round, in).part(taker * most, chunk.count);
  };
  return in_rounds(
      out.count, most,
      [&](const Chunk& chunk) {
        for (int other = 0; other < size_; ++other) {
          if (other == rank_) continue;
          copy(in.part(other * out.count + chunk.first, chunk.count), piece(rank_, chunk, other));
        }
      },
      [&](const Chunk& chunk) {
        const Span mine = out.part(chunk.first, chunk.count);
        copy(in.part(rank_ * out.count + chunk.first, chunk.count), mine);
        for (int other = 0; other < size_; ++other) {
          if (other != rank_) reduce_elements(mine, piece(other, chunk, rank_), op);
        }
      });
}

double SharedCollectives::all_gather(const Span& in, const Span& out) {
  board_.show(round_, {Kind::all_gather, in.count, in.type});
  copy(in, out.part(rank_ * in.count, in.count));
  return in_rounds(
      in.count, elements_in(kChunkBytes, in.type),
      [&](const Chunk& chunk) {
        const Span part = in.part(chunk.first, chunk.count);
        copy(part, slot(rank_, chunk.round, part));
      },
      [&](const Chunk& chunk) {
        for (int other = 0; other < size_; ++other) {
          const Span part = out.part(other * in.count + chunk.first, chunk.count);
          if (other != rank_) copy(slot(other, chunk.round, part), part);
        }
      });
}

double SharedCollectives::broadcast(const Span& data, int root) {
  board_.show(round_, {Kind::broadcast, data.count, data.type, ReduceOp::sum, root});
  return in_rounds(
      data.count, elements_in(kChunkBytes, data.type),
      [&](const Chunk& chunk) {
        const Span part = data.part(chunk.first, chunk.count);
        if (rank_ == root) copy(part, slot(root, chunk.round, part));
      },
      [&](const Chunk& chunk) {
        const Span part = data.part(chunk.first, chunk.count);
        if (rank_ != root) copy(slot(root, chunk.round, part), part);
      });
}

double SharedCollectives::check_same_call(const NamedCollective& call) {
  board_.show(round_, {Kind::meeting, number_of(call)});
  const auto nothing = [](const Chunk&) {};
  return in_rounds(0, 1, nothing, nothing);
}

}  // namespace dlscale::trainer
