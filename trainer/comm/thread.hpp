// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process, for tests of what needs several ranks.
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

// Where ranks that are threads wait for each other, and how they learn that it is in vain.

class ThreadMeeting;

/// What one rank brings to a collective.
struct ThreadCall {
  enum class Kind { all_reduce, reduce_scatter, all_gather, broadcast, reduce, meeting, split };
  Kind kind = Kind::meeting;
  Span data;
  ReduceOp op = ReduceOp::sum;
  int root = 0;
  std::int64_t number = 0;  ///< meeting: number_of(what begins)
  // What ranks may differ in.
  int color = 0;
  std::shared_ptr<ThreadMeeting> made;  ///< split: by the first rank of a color, for all of it
  bool agrees_with(const ThreadCall& other) const;
};

/// Every call but the constructor is made by the thread of the rank it names. A wait that cannot
/// end, because a rank has left, because ranks disagree or because all wait for each other, throws
/// RunError (kExitCommunication) on each rank that waits.
class ThreadMeeting {
 public:
  explicit ThreadMeeting(int size);
  int size() const { return static_cast<int>(calls_.size()); }
  /// What a rank brought; readable by all between open() and close().
  const ThreadCall& call(int rank) const { return calls_[static_cast<std::size_t>(rank)]; }

  /// Returns when all ranks have brought their calls; throws when they disagree.
  void open(int rank, ThreadCall call);
  /// Returns when no rank reads what another brought any more.
  void close(int rank);
  /// Between open() and close(): adds to what this rank brought, for others to read after close().
  void show(int rank, std::shared_ptr<ThreadMeeting> made);
  /// As Communicator::exchange.
  void exchange(int rank, Span out, int to, Span in, int from);
  void leave(int rank);

 private:
  /// A message that lies where its sender has it until it is taken.
  struct Letter {
    Span text;
    bool taken = false;
  };
  /// What a rank waits for; `peer` is who must do it, kNobody for all.
  struct Wait {
    std::function<bool()> over;
    int peer = kNobody;
  };
  using Lock = std::unique_lock<std::mutex>;

  void meet(int rank);
  void end_round();
  void take(int rank, int from, const Span& in, Lock& lock);
  void wait(int rank, Wait what, Lock& lock);
  std::string why_in_vain(const Wait& what) const;
  bool all_stuck() const;
  void give_up(std::string trouble);

  std::vector<ThreadCall> calls_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;
  std::uint64_t round_ = 0;
  std::map<std::pair<int, int>, std::deque<Letter*>> letters_;  ///< by sender and receiver
  std::vector<const Wait*> waits_;                              ///< of each rank; null: it works
  std::vector<bool> left_;
  std::string trouble_;  ///< why nothing can be waited for any more
};

/// The shared side of `size` ranks. Reductions go over the ranks in rising order, so results are
/// the same bits in every run.
class ThreadGroup {
 public:
  explicit ThreadGroup(int size);
  ~ThreadGroup();
  /// The communicator of `rank`; each rank joins once, and the group may go before it. Its
  /// destruction means that the rank has left: whoever then waits for it gets an error, not a
  /// hang. So do all ranks when they disagree on which collective is called, or wait for each
  /// other.
  std::unique_ptr<Communicator> join(int rank);

 private:
  std::shared_ptr<ThreadMeeting> meeting_;
};

/// Runs `body` as each of `size` ranks, each in a thread of its own, and waits for all. Rethrows
/// what the first rank to fail threw.
void run_as_threads(int size, const std::function<void(Communicator&)>& body);

}  // namespace dlscale::trainer
