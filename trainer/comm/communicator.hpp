// SPDX-License-Identifier: Apache-2.0
// How ranks exchange data: blocking calls over one transport. No torch type appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/registry.hpp"

namespace dlscale::trainer {

struct NamedCollective;

enum class ElementType { uint8, int32, int64, float16, bfloat16, float32, float64 };
enum class ReduceOp { sum, min, max, bit_and };  // bit_and: integers only

std::size_t bytes_of(ElementType type);

/// Where elements lie: what the processor reads and writes, or a GPU.
enum class Memory { host, device };

/// `count` elements in a row. The memory stays the caller's.
struct Span {
  void* data = nullptr;
  std::int64_t count = 0;
  ElementType type = ElementType::float32;
  Memory memory = Memory::host;
  std::size_t bytes() const { return static_cast<std::size_t>(count) * bytes_of(type); }
  /// `length` elements from the `first`-th on.
  Span part(std::int64_t first, std::int64_t length) const;
};

/// Totals of one rank; failed calls do not count.
struct CommStats {
  std::int64_t collectives = 0;  ///< calls, exchanges included unless they are of nothing
  std::int64_t bytes = 0;        ///< payload given: `data`, `in` or, of an exchange, `out`
  double busy_s = 0;             ///< a call was under way, waiting for other ranks included
  double wait_s = 0;             ///< of busy_s: until all ranks were there; exchanges have none
};

/// What a thread had given its device to do when this was made. Any thread may use it.
class Fence {
 public:
  virtual ~Fence() = default;
  /// Returns when that is done.
  virtual void wait() const = 0;
  /// Seconds since it is done; 0 while it is not.
  virtual double age_s() const = 0;
};

/// Stands for a rank where an exchange has one half only.
inline constexpr int kNobody = -1;

/// `size` ranks over one transport. What is **Collective** is called by all ranks, in the same
/// order, with the same count, type, op and root. An instance is used by one thread at a time.
/// Calls that contradict themselves and transports that break throw base::RunError with
/// contract::kExitCommunication; the instance is then unusable.
class Communicator {
 public:
  virtual ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// **Collective.** On return `data` holds on every rank the element-wise reduction; equal on all.
  /// An integer sum must not overflow: some transports wrap, others saturate. Sums of 16-bit
  /// floats are added in float32 and rounded.
  void all_reduce(Span data, ReduceOp op);
  /// **Collective.** in.count is size() x out.count; on return `out` holds the rank-th part of the
  /// element-wise reduction. `in` stays as it is; `out` must not lie in it.
  void reduce_scatter(Span in, Span out, ReduceOp op);
  /// **Collective.** `out` has size() x in.count elements: rank r's `in` at r x in.count, where it
  /// may lie beforehand.
  void all_gather(Span in, Span out);
  /// **Collective.** On return `data` holds on every rank what `root` had.
  void broadcast(Span data, int root);
  /// **Collective.** On return `data` holds the reduction on `root`; that of others stays.
  void reduce(Span data, ReduceOp op, int root);
  /// Sends `out` to rank `to` while it receives `in` from rank `from`; kNobody leaves that half
  /// out. Returns when `out` may be reused and `in` is there. Not collective: each half needs its
  /// counterpart of the same count and type. Between two ranks messages keep their order. An empty
  /// message is not received before it is waited for: who sends it waits, which counts as no call.
  void exchange(Span out, int to, Span in, int from);
  void send(Span data, int to) { exchange(data, to, {}, kNobody); }
  void receive(Span data, int from) { exchange({}, kNobody, data, from); }
  /// **Collective.** Returns when every rank has called it.
  void barrier();
  /// **Collective.** As barrier(), for what begins here and is made of exchanges, which compare
  /// nothing: throws on every rank when they are not about to do the same.
  void meet(const NamedCollective& call);
  /// **Collective.** The ranks that give the same `color` (0 or more), in the order of their ranks
  /// here. What comes back may be used by another thread while this one is in use; it shares the
  /// counters, and this one must outlive it.
  std::unique_ptr<Communicator> split(int color);

  /// Calls with other memory are refused.
  virtual bool takes(Memory memory) const { return memory == Memory::host; }
  /// A device works behind the calls that make it work: who gives its memory to a call must have
  /// waited for this. Null where nothing is left to wait for. Any thread may ask at any time.
  virtual std::shared_ptr<const Fence> fence() const { return nullptr; }

  /// Of this one and of all split from it.
  CommStats stats() const;
  /// Counts what this rank's own devices exchanged among themselves as if by calls.
  void count_own(const CommStats& exchanged);
  /// CommStats::wait_s of the last call alone, for a communicator that lies over this one.
  double last_wait_s() const { return last_wait_s_; }
  /// How all_reduce works, for the record: a name of all_reduce_table().
  virtual std::string all_reduce_name() const { return "tuned"; }

 protected:
  Communicator(int rank, int size);
  /// A transport says here how long a call of its has waited until all ranks were there.
  void waited(double seconds) { last_wait_s_ += seconds; }

 private:
  virtual void do_all_reduce(Span data, ReduceOp op) = 0;
  virtual void do_reduce_scatter(Span in, Span out, ReduceOp op) = 0;
  virtual void do_all_gather(Span in, Span out) = 0;
  virtual void do_broadcast(Span data, int root) = 0;
  virtual void do_reduce(Span data, ReduceOp op, int root) = 0;
  virtual void do_exchange(Span out, int to, Span in, int from) = 0;
  virtual void do_meet(const NamedCollective& call) = 0;
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

// Which transports there are, and which of them this build has.

/// A row of the communicator table. How one is made differs (a session, a group of threads), so
/// each has a factory in its own header.
struct CommunicatorEntry {
  const char* name;
  const char* summary;
  const char* unavailable;  ///< why this build lacks it; null when it has it
};

base::Table<CommunicatorEntry> communicator_table();

// A communicator that lies over another and does everything as the other does.

/// For those that do one call in another way. Has counters of its own; the inner one counts what
/// reaches it. Parts that are split off are the inner one's.
class Overlay : public Communicator {
 public:
  /// `inner` must outlive it.
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
  void do_meet(const NamedCollective& call) override {
    inner_.meet(call);
    waited(inner_.last_wait_s());
  }
  std::unique_ptr<Communicator> do_split(int color) override { return inner_.split(color); }

 private:
  Communicator& inner_;
};

}  // namespace dlscale::trainer
