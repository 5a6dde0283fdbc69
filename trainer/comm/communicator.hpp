// SPDX-License-Identifier: Apache-2.0
// How ranks exchange data: blocking collectives over one transport. No torch type appears here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscale::trainer {

enum class ElementType { uint8, int32, int64, float32, float64 };
enum class ReduceOp { sum, min, max };

std::size_t bytes_of(ElementType type);

/// `count` elements in a row. The memory stays the caller's.
struct Span {
  void* data = nullptr;
  std::int64_t count = 0;
  ElementType type = ElementType::float32;
  std::size_t bytes() const { return static_cast<std::size_t>(count) * bytes_of(type); }
};

/// One transport between `size` ranks. Every member but rank() and size() is **Collective**: all
/// ranks call the same one, in the same order, with the same count, type, op and root.
/// An instance is used by one thread at a time. A transport that breaks throws base::RunError with
/// contract::kExitCommunication; the instance is then unusable.
class Communicator {
 public:
  virtual ~Communicator() = default;
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// **Collective.** On return `data` holds on every rank the element-wise reduction; equal on all.
  /// An integer sum must not overflow: some transports wrap, others saturate.
  virtual void all_reduce(Span data, ReduceOp op) = 0;
  /// **Collective.** On return `data` holds on every rank what `root` had.
  virtual void broadcast(Span data, int root) = 0;
  /// **Collective.** `out` has size() x in.count elements: rank r's `in` at r x in.count.
  virtual void all_gather(Span in, Span out) = 0;
  /// **Collective.** Returns when every rank has called it.
  virtual void barrier() = 0;

 protected:
  Communicator(int rank, int size) : rank_(rank), size_(size) {}

 private:
  int rank_;
  int size_;
};

}  // namespace dlscale::trainer
