// SPDX-License-Identifier: Apache-2.0
// Communicator for ranks that are threads of one process, for tests that need several ranks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

// Meeting point for ranks that are threads. The meeting point detects waits that can never end.

class ThreadMeeting;

/// Call that one rank contributes to a collective.
struct ThreadCall {
  enum class Kind { all_reduce, reduce_scatter, all_gather, broadcast, reduce, meeting, split };
  Kind kind = Kind::meeting;
  Span data;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
  std::int64_t number = 0;  ///< only for Kind::meeting: number_of() of the next call
  // The members below may differ between ranks.
  int color = 0;
  std::shared_ptr<ThreadMeeting> made;  ///< only for Kind::split: new meeting point of this color
  bool agrees_with(const ThreadCall& other) const;
};

/// Meeting point of all ranks. Every member except the constructor must be called by the thread of
/// `rank`. A wait that cannot end throws RunError (kExitCommunication) on each waiting rank. A wait
/// cannot end when a rank has left, when ranks make different calls, or when all ranks wait for
/// each other.
class ThreadMeeting {
 public:
  explicit ThreadMeeting(int size);
  int size() const { return static_cast<int>(calls_.size()); }
  /// Returns the call that `rank` has contributed. All ranks may read the call between open() and
  /// close().
  const ThreadCall& call(int rank) const { return calls_[static_cast<std::size_t>(rank)]; }

  /// Contributes the call of this rank and returns when all ranks have contributed theirs. Throws
  /// when the calls differ.
  void open(int rank, ThreadCall call);
  /// Returns when all ranks have finished reading the calls of other ranks.
  void close(int rank);
  /// Stores `made` in the call of this rank. Must be called between open() and close(). Other ranks
  /// may read `made` after close().
  void show(int rank, std::shared_ptr<ThreadMeeting> made);
  /// Exchanges data like Communicator::exchange.
  void exchange(int rank, Span out, int to, Span in, int from);
  void leave(int rank);

 private:
  /// Message whose data stays in the memory of the sender until the receiver has copied the data.
  struct Letter {
    Span text;
    bool taken = false;
  };
  /// Condition that a rank waits for. `peer` is the rank that must fulfil the condition, or kNobody
  /// if all ranks must fulfil it.
  struct Wait {
    std::function<bool()> over;
    int peer = kNobody;
  };
  using Lock = std::unique_lock<std::mutex>;

  void meet(int rank);
  void end_round();
  void receive(int rank, int from, const Span& in, Lock& lock);
  void wait(int rank, Wait what, Lock& lock);
  std::string why_in_vain(const Wait& what) const;
  bool all_stuck() const;
  void give_up(std::string trouble);

  std::vector<ThreadCall> calls_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;
  std::uint64_t round_ = 0;
  std::map<std::pair<int, int>, std::deque<Letter*>> letters_;  ///< messages by sender and receiver
  std::vector<const Wait*> waits_;  ///< wait of each rank; null while the rank works
  std::vector<bool> left_;
  std::string trouble_;  ///< reason why every wait must fail; empty while all is well
};

/// Shared state of `size` ranks. Reductions go over the ranks in ascending order, so results are
/// bit-identical in every run.
class ThreadGroup {
 public:
  explicit ThreadGroup(int size);
  ~ThreadGroup();
  /// Returns the communicator of `rank`. Each rank must join exactly once. The group may be
  /// destroyed before the communicators. A rank leaves when its communicator is destroyed. A call
  /// that waits for a rank that has left throws instead of hanging. Calls also throw when the ranks
  /// call different collectives or when all ranks wait for each other.
  std::unique_ptr<Communicator> join(int rank);

 private:
  std::shared_ptr<ThreadMeeting> meeting_;
};

/// Runs `body` as each of `size` ranks, each in a separate thread, and waits for all threads.
/// Rethrows the exception of the rank that failed first.
void run_as_threads(int size, const std::function<void(Communicator&)>& body);

}  // namespace dlscale::trainer
