// SPDX-License-Identifier: Apache-2.0
// Collectives among ranks that share memory.
//
// Problem: a transport copies messages between processes that could read the same memory. Idea: the
// ranks copy their data to slots in shared memory, from which all ranks read. A board of atomic
// counters shows the progress of each rank. The transport still runs long all-gathers, because the
// transport copies the data once, whereas slots need two copies.
#pragma once

#include <functional>
#include <memory>

#include "trainer/comm/call_number.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/comm/shared_board.hpp"

namespace dlscale::trainer {

/// Collectives that divide the data into chunks and transfer each chunk in a round. In a round,
/// each rank "gives" its chunk: it copies the chunk to its slot. The rank then waits until all
/// ranks have given their chunks, and "takes" the data that it needs from the slots of the other
/// ranks. Each rank has two slots, which alternate between rounds. A rank can therefore give its
/// next chunk before it takes the data of the present round, so that the other ranks need not wait.
/// At the end of a call, all ranks have taken the data of the last but one round.
///
/// All members are **Collective**, have the semantics of the same members of Communicator, and
/// return the seconds until all ranks had arrived.
class SharedCollectives {
 public:
  /// **Collective.** Makes the shared memory. Returns null on every rank when the ranks do not all
  /// share memory.
  static std::unique_ptr<SharedCollectives> make(Communicator& ranks);

  /// Maximum size of the output of an all_gather, in bytes, up to which all_gather() here is faster
  /// than the all_gather of the transport. The transport is faster for more data, because the
  /// transport copies the data once, whereas shared memory needs two copies (bench/comm_bench, 2
  /// ranks).
  static constexpr std::size_t kMostGatheredBytes = 32 * 1024;

  double all_reduce(const Span& data, ReduceOp op);
  double reduce_scatter(const Span& in, const Span& out, ReduceOp op);
  double all_gather(const Span& in, const Span& out);
  double broadcast(const Span& data, int root);
  /// Synchronises the ranks and compares their calls, like Communicator::check_same_call().
  double check_same_call(const NamedCollective& call);

 private:
  SharedCollectives(std::unique_ptr<SharedSegment> segment, const Communicator& ranks);

  /// Range of the elements of a chunk, and the round that transfers the chunk.
  struct Chunk {
    std::int64_t first, count;
    std::uint64_t round;
  };
  using Step = std::function<void(const Chunk&)>;
  double in_rounds(std::int64_t count, std::int64_t most, const Step& give, const Step& read_chunk);
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
