// SPDX-License-Identifier: Apache-2.0
// Where ranks that share memory tell each other how far they are, and the memory itself.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

// Memory that the ranks of one node have in common.

/// Zeros at first. Has no name any more once all ranks have it, so nothing of it stays behind.
class SharedSegment {
 public:
  /// **Collective.** Null on every rank when one of them does not reach this memory, for example
  /// because it is on another node or in another container, or when there is not enough.
  static std::unique_ptr<SharedSegment> make(Communicator& ranks, std::size_t bytes);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  /// On a page's boundary.
  std::byte* data() const;

 private:
  SharedSegment(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}
  std::byte* memory_;
  std::size_t bytes_;
};

// Where ranks that share memory tell each other how far they are.

/// What a rank has called; ranks must have called the same.
struct SharedCall {
  enum class Kind { all_reduce, reduce_scatter, all_gather, broadcast, meeting };
  Kind kind = Kind::all_reduce;
  std::int64_t count = 0;  ///< of elements; meeting: number_of(what begins)
  ElementType type = ElementType::float32;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
  bool operator==(const SharedCall&) const = default;
};

/// How far a rank is: it has given its data of so many rounds; it has taken what it needs of the
/// others' data of so many rounds.
enum class Progress { given, taken };

/// In zeroed shared memory; each rank writes only what is its own. Waiting lets others have the
/// core. It ends with RunError (kExitCommunication) when a rank that is waited for has gone.
class SharedBoard {
 public:
  static std::size_t bytes(int size);
  /// The memory must outlive it. A rank that goes without destroying it is noticed when its
  /// process ends, if this process can see that.
  SharedBoard(std::byte* memory, int rank, int size);
  ~SharedBoard();
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  void tell(Progress what, std::uint64_t rounds);
  /// Returns when all ranks are that far.
  void wait(Progress what, std::uint64_t rounds) const;
  /// Before tell(given, round + 1): what the call is that begins with `round`.
  void show(std::uint64_t round, const SharedCall& call);
  /// After wait(given, round + 1): throws on every rank when the calls differ.
  void require_same(std::uint64_t round) const;

 private:
  struct Place;
  bool has_gone(int rank) const;

  Place* places_;
  int rank_;
  int size_;
};

}  // namespace dlscale::trainer
