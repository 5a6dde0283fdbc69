// SPDX-License-Identifier: Apache-2.0
// Shared memory of the ranks of a node, and the board on which these ranks publish their progress.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

// Memory that the ranks of one node share.

/// Segment of shared memory, initialised with zeros. The name of the segment is removed as soon as
/// all ranks have mapped the memory. The operating system then frees the memory when the last
/// process ends.
class SharedSegment {
 public:
  /// **Collective.** Makes a segment of `bytes` bytes. Returns null on every rank when a rank
  /// cannot reach the memory, for example on another node or in another container, or when memory
  /// is short.
  static std::unique_ptr<SharedSegment> make(Communicator& ranks, std::size_t bytes);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  /// Returns the start of the memory, on a page boundary.
  std::byte* data() const;

 private:
  SharedSegment(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}
  std::byte* memory_;
  std::size_t bytes_;
};

// Board on which ranks that share memory publish their progress.

/// Collective call of a rank. All ranks must make the same call.
struct SharedCall {
  enum class Kind { all_reduce, reduce_scatter, all_gather, broadcast, meeting };
  Kind kind = Kind::all_reduce;
  std::int64_t count = 0;  ///< number of elements; Kind::meeting: number_of() of the next call
  ElementType type = ElementType::float32;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
  bool operator==(const SharedCall&) const = default;
};

/// Progress counter of a rank. `given` counts the rounds for which the rank has written its data to
/// shared memory. `taken` counts the rounds for which the rank has read the data of the other
/// ranks.
enum class Progress { given, taken };

/// Board in zeroed shared memory with one entry for each rank. Each rank writes only its own entry
/// and reads the entries of all ranks. A waiting rank yields the core to other threads. A wait
/// throws RunError (kExitCommunication) when a rank that it waits for has ended.
class SharedBoard {
 public:
  static std::size_t bytes(int size);
  /// Adds the entry of this rank. The memory must outlive the board. The destructor marks this rank
  /// as ended. If a process dies without running the destructor, the other ranks notice the missing
  /// process, provided that they are in the same PID namespace.
  SharedBoard(std::byte* memory, int rank, int size);
  ~SharedBoard();
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  void tell(Progress what, std::uint64_t rounds);
  /// Returns when the counter `what` of every rank has reached `rounds`.
  void wait(Progress what, std::uint64_t rounds) const;
  /// Publishes the call of this rank whose first round is `round`. The rank must call show() before
  /// tell(given, round + 1).
  void show(std::uint64_t round, const SharedCall& call);
  /// Compares the calls that all ranks have published for `round`. Throws on every rank when the
  /// calls differ. The rank must call require_same() after wait(given, round + 1).
  void require_same(std::uint64_t round) const;

 private:
  struct BoardSlot;
  bool has_gone(int rank) const;

  BoardSlot* places_;
  int rank_;
  int size_;
};

}  // namespace dlscale::trainer
