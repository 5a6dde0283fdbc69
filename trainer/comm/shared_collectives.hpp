// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks that share memory.
#pragma once

#include <functional>
#include <memory>

#include "trainer/comm/call_number.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/shared_board.hpp"

namespace dlscale::trainer {

/// Data goes in chunks, a round each. In a round each rank gives its chunk, waits until all have
/// given, and takes what it needs from what the others gave. It gives the next chunk before it
/// takes of this one, so that others need not wait for it: hence two slots, which rounds use in
/// turn. At the end of a call all ranks have taken what they need of the round before the last.
///
/// Members are **Collective**, mean what those of Communicator do, and return the seconds until
/// all ranks were there.
class SharedCollectives {
 public:
  /// **Collective.** Null on every rank when they do not all share memory.
  static std::unique_ptr<SharedCollectives> make(Communicator& ranks);

  /// Of so many bytes of all ranks together an all_gather is faster than the transport's, which
  /// copies once where this copies twice (bench/comm_bench, 2 ranks).
  static constexpr std::size_t kMostGatheredBytes = 32 * 1024;

  double all_reduce(const Span& data, ReduceOp op);
  double reduce_scatter(const Span& in, const Span& out, ReduceOp op);
  double all_gather(const Span& in, const Span& out);
  double broadcast(const Span& data, int root);
  /// As Communicator::meet.
  double meet(const NamedCollective& call);

 private:
  SharedCollectives(std::unique_ptr<SharedSegment> segment, const Communicator& ranks);

  /// Elements of a chunk, and the round in which it goes.
  struct Chunk {
    std::int64_t first, count;
    std::uint64_t round;
  };
  using Step = std::function<void(const Chunk&)>;
  double in_rounds(std::int64_t count, std::int64_t most, const Step& give, const Step& take);
  double wait_for_call();

  double reduce_small(const Span& data, ReduceOp op);
  double reduce_chunks(const Span& data, ReduceOp op);
  void give_others_parts(const Span& chunk, std::uint64_t round);
  void fold_part(const Span& chunk, ReduceOp op);
  void fetch_others_parts(const Span& chunk);
  Span part_of(const Span& chunk, int rank) const;

  Span slot(int rank, std::uint64_t round, const Span& like) const;

  int rank_;
  int size_;
  std::unique_ptr<SharedSegment> segment_;
  SharedBoard board_;
  std::byte* slots_;
  std::uint64_t round_ = 0;
};

}  // namespace dlscale::trainer
