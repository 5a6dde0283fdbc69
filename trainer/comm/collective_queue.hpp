// SPDX-License-Identifier: Apache-2.0
// Asynchronous collectives: a thread of its own runs them in the order of their submission.
// Open MPI makes no progress on non-blocking collectives while nobody calls it, so overlap with
// computation needs this thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Handle of one submitted collective.
class Work {
 public:
  /// Blocks until the collective is over; rethrows what it threw.
  void wait();
  bool done() const;
  /// Steady-clock seconds; valid once done.
  double submitted_s() const { return submitted_s_; }
  /// When what it takes was there: at submission, or when a device had made it.
  double ready_s() const { return ready_s_; }
  double started_s() const { return started_s_; }
  double finished_s() const { return finished_s_; }

 private:
  friend class CollectiveQueue;
  mutable std::mutex mutex_;
  std::condition_variable finished_;
  bool done_ = false;
  std::exception_ptr error_;
  double submitted_s_ = 0, ready_s_ = 0, started_s_ = 0, finished_s_ = 0;
};

/// Runs on the communication thread once a collective is over and before its Work is done; gets the
/// collective's error or null. Must not throw.
using OnDone = std::function<void(std::exception_ptr)>;

/// The calls of a Communicator, which see; those that are **Collective** there are submitted in the
/// same order on all ranks. The memory of a Span must stay valid until its Work is done; what the
/// submitting thread has told a device to write there is waited for. After an error every later
/// Work fails with the same error.
class CollectiveQueue {
 public:
  CollectiveQueue(Communicator& communicator, const base::Clock& clock);
  /// Lets what was submitted end (or fail), then stops the thread.
  ~CollectiveQueue();
  CollectiveQueue(const CollectiveQueue&) = delete;
  CollectiveQueue& operator=(const CollectiveQueue&) = delete;

  int rank() const { return communicator_.rank(); }
  int size() const { return communicator_.size(); }

  std::shared_ptr<Work> all_reduce(Span data, ReduceOp op, OnDone on_done = {});
  std::shared_ptr<Work> reduce_scatter(Span in, Span out, ReduceOp op, OnDone on_done = {});
  std::shared_ptr<Work> all_gather(Span in, Span out, OnDone on_done = {});
  std::shared_ptr<Work> broadcast(Span data, int root, OnDone on_done = {});
  std::shared_ptr<Work> reduce(Span data, ReduceOp op, int root, OnDone on_done = {});
  std::shared_ptr<Work> exchange(Span out, int to, Span in, int from, OnDone on_done = {});
  std::shared_ptr<Work> barrier(OnDone on_done = {});
  /// Several calls that no other submission comes between. What `calls` refers to must stay valid
  /// until its Work is done.
  std::shared_ptr<Work> run(std::function<void(Communicator&)> calls, OnDone on_done = {});

  /// Waits for `work` of this queue. Returns the seconds of it in which this thread had nothing
  /// else to do, and its device had done all it was given.
  double wait_for(Work& work);

  /// What the calls go to. Others than this queue may use it only while nothing is submitted here,
  /// for example to split it.
  Communicator& communicator() { return communicator_; }
  /// The communicator's.
  CommStats stats() const { return communicator_.stats(); }

 private:
  struct Task {
    std::shared_ptr<Work> work;
    std::function<void(Communicator&)> calls;
    OnDone on_done;
    std::shared_ptr<const Fence> fence;  ///< to be waited for first; may be null
  };
  std::shared_ptr<Work> submit(Memory memory, std::function<void(Communicator&)> calls,
                               OnDone on_done);
  void serve();
  void execute(const Task& task);

  Communicator& communicator_;
  const base::Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Task> tasks_;
  bool stopping_ = false;
  std::exception_ptr broken_;  ///< the communication thread's alone
  std::thread thread_;
};

}  // namespace dlscale::trainer
