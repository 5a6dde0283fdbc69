// SPDX-License-Identifier: Apache-2.0
// Blocking data exchange between ranks over one transport, without torch types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/registry.hpp"

namespace dlscale::trainer {

struct NamedCollective;

enum class ElementType { uint8, int32, int64, float16, bfloat16, float32, float64 };
enum class ReduceOp { sum, min, max, bit_and };  // bit_and supports only integers

std::size_t bytes_of(ElementType type);

/// Location of elements: host memory, which the processor reads and writes, or a GPU.
enum class Memory { host, device };

/// Span of `count` contiguous elements. The memory belongs to the caller.
struct Span {
  void* data = nullptr;
  std::int64_t count = 0;
  ElementType type = ElementType::float32;
  Memory memory = Memory::host;
  std::size_t bytes() const { return static_cast<std::size_t>(count) * bytes_of(type); }
  /// Returns the `length` elements that start at element `first`.
  Span part(std::int64_t first, std::int64_t length) const;
};

/// Communication totals of one rank. The totals exclude failed calls.
struct CommStats {
  std::int64_t collectives = 0;  ///< number of calls, including exchanges that carry data
  std::int64_t bytes = 0;        ///< bytes of `data` or `in`; in an exchange, bytes of `out`
  double busy_s = 0;             ///< seconds inside calls, including the wait for other ranks
  double wait_s = 0;             ///< part of busy_s before the last rank arrived; 0 in exchanges
};

/// Marker in the work queue of a device. The fence stands behind all work that a thread has started
/// on the device before it made the fence. Any thread may use the fence.
class Fence {
 public:
  virtual ~Fence() = default;
  /// Blocks until the device has finished all work before the fence.
  virtual void wait() const = 0;
  /// Returns the seconds since the device finished the work before the fence, or 0 while the work
  /// is unfinished.
  virtual double age_s() const = 0;
};

/// Placeholder for the peer rank when an exchange only sends or only receives.
inline constexpr int kNobody = -1;

/// Group of `size` ranks over one transport. All ranks must make each **Collective** call in the
/// same order, with the same count, type, op and root. Only one thread at a time may use an
/// instance. Invalid calls and failures of the transport throw base::RunError with
/// contract::kExitCommunication. The instance is unusable after such an error.
class Communicator {
 public:
  virtual ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// **Collective.** Replaces `data` on every rank by the element-wise reduction, which is equal on
  /// all ranks. An integer sum must not overflow, because an overflow wraps on some transports and
  /// saturates on other transports. Sums of 16-bit floats are added in float32 and rounded.
  void all_reduce(Span data, ReduceOp op);
  /// **Collective.** Divides the element-wise reduction of `in` into size() equal parts and writes
  /// part rank() to `out`. in.count must be size() x out.count. `in` is unchanged, and `out` must
  /// not overlap `in`.
  void reduce_scatter(Span in, Span out, ReduceOp op);
  /// **Collective.** Collects `in` of all ranks in `out`, which has size() x in.count elements.
  /// `in` of rank r is written to `out` at element r x in.count. `in` may itself be this range of
  /// `out`.
  void all_gather(Span in, Span out);
  /// **Collective.** Copies `data` of rank `root` to `data` of every rank.
  void broadcast(Span data, int root);
  /// **Collective.** Replaces `data` on rank `root` by the element-wise reduction over all ranks.
  /// `data` is unchanged on the other ranks.
  void reduce(Span data, ReduceOp op, int root);
  /// Sends `out` to rank `to` and receives `in` from rank `from` at the same time. The value
  /// kNobody for `to` skips the send, and kNobody for `from` skips the receive. Returns when `out`
  /// may be reused and `in` has arrived. The call is not collective. The peer of each message must
  /// make the matching call with the same count and type. Messages between two ranks keep their
  /// order. A send of an empty message returns only after the receiver has started to wait for the
  /// message. An exchange in which both messages are empty does not count in stats().
  void exchange(Span out, int to, Span in, int from);
  void send(Span data, int to) { exchange(data, to, {}, kNobody); }
  void receive(Span data, int from) { exchange({}, kNobody, data, from); }
  /// **Collective.** Returns when every rank has called barrier().
  void barrier();
  /// **Collective.** Synchronises the ranks, like barrier(), at the start of an operation that
  /// consists of exchanges. Exchanges cannot detect that ranks run different operations.
  /// check_same_call() therefore compares `call` between the ranks and throws on every rank when
  /// the calls differ.
  void check_same_call(const NamedCollective& call);
  /// **Collective.** Makes a communicator of the ranks that pass the same `color` (0 or more), in
  /// the order of their ranks. Another thread may use the result while this communicator is in use.
  /// The result shares the counters of this communicator, which must outlive the result.
  std::unique_ptr<Communicator> split(int color);

  /// Returns true if the calls of this communicator accept data in this kind of memory. Calls with
  /// data in another kind of memory throw.
  virtual bool takes(Memory memory) const { return memory == Memory::host; }
  /// Returns a fence behind all device work that the calling thread has started so far. Device work
  /// is asynchronous, so a caller must wait for the fence before it passes device memory to a call.
  /// Returns null when there is nothing to wait for. Any thread may call fence() at any time.
  virtual std::shared_ptr<const Fence> fence() const { return nullptr; }

  /// Returns the totals of this communicator and of all communicators split from it.
  CommStats stats() const;
  /// Adds `exchanged` to the totals. `exchanged` describes data that several devices of this rank
  /// exchanged with each other without calls of this communicator.
  void count_own(const CommStats& exchanged);
  /// Returns CommStats::wait_s of the last call alone. Communicators that wrap this communicator
  /// read this value.
  double last_wait_s() const { return last_wait_s_; }
  /// Returns the name of the all-reduce algorithm in use. The name is listed in all_reduce_table().
  /// The record of the run contains this name.
  virtual std::string all_reduce_name() const { return "tuned"; }

 protected:
  Communicator(int rank, int size);
  /// Adds `seconds` to the time that the current call waited until all ranks had arrived.
  /// Transports call this function.
  void waited(double seconds) { last_wait_s_ += seconds; }

 private:
  virtual void do_all_reduce(Span data, ReduceOp op) = 0;
  virtual void do_reduce_scatter(Span in, Span out, ReduceOp op) = 0;
  virtual void do_all_gather(Span in, Span out) = 0;
  virtual void do_broadcast(Span data, int root) = 0;
  virtual void do_reduce(Span data, ReduceOp op, int root) = 0;
  virtual void do_exchange(Span out, int to, Span in, int from) = 0;
  virtual void do_check_same_call(const NamedCollective& call) = 0;
  virtual std::unique_ptr<Communicator> do_split(int color) = 0;

  class Counters;
  template <class Call>
  void count(std::size_t bytes, const Call& call);
  void require_rank(int rank, const char* what) const;
  void require_memory(const Span& data) const;

  int rank_;
  int size_;
  double last_wait_s_ = 0;
  std::shared_ptr<Counters> counters_;
};

// Table of the transports, including the transports that this build lacks.

/// Row of the communicator table. The row has no factory function, because transports need
/// different arguments (an MPI session, a group of threads). The header of each transport declares
/// its factory.
struct CommunicatorEntry {
  const char* name;
  const char* summary;
  const char* unavailable;  ///< reason why this build lacks the transport; null if the build has it
};

base::Table<CommunicatorEntry> communicator_table();

// Communicator that wraps another communicator and forwards all calls to it.

/// Base class for communicators that change a few calls and forward all others to an inner
/// communicator. An overlay and its inner communicator have separate counters. The inner
/// communicator counts the calls that reach it. split() splits the inner communicator and returns
/// the result without an overlay.
class Overlay : public Communicator {
 public:
  /// Wraps `inner`, which must outlive the overlay.
  explicit Overlay(Communicator& inner) : Communicator(inner.rank(), inner.size()), inner_(inner) {}
  std::string all_reduce_name() const override { return inner_.all_reduce_name(); }
  bool takes(Memory memory) const override { return inner_.takes(memory); }
  std::shared_ptr<const Fence> fence() const override { return inner_.fence(); }

 protected:
  Communicator& inner() { return inner_; }
  const Communicator& inner() const { return inner_; }

  void do_all_reduce(Span data, ReduceOp op) override {
    inner_.all_reduce(data, op);
    waited(inner_.last_wait_s());
  }
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override {
    inner_.reduce_scatter(in, out, op);
    waited(inner_.last_wait_s());
  }
  void do_all_gather(Span in, Span out) override {
    inner_.all_gather(in, out);
    waited(inner_.last_wait_s());
  }
  void do_broadcast(Span data, int root) override {
    inner_.broadcast(data, root);
    waited(inner_.last_wait_s());
  }
  void do_reduce(Span data, ReduceOp op, int root) override {
    inner_.reduce(data, op, root);
    waited(inner_.last_wait_s());
  }
  void do_exchange(Span out, int to, Span in, int from) override {
    inner_.exchange(out, to, in, from);
  }
  void do_check_same_call(const NamedCollective& call) override {
    inner_.check_same_call(call);
    waited(inner_.last_wait_s());
  }
  std::unique_ptr<Communicator> do_split(int color) override { return inner_.split(color); }

 private:
  Communicator& inner_;
};

}  // namespace dlscale::trainer
