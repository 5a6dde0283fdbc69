// SPDX-License-Identifier: Apache-2.0
// Asynchronous collectives that run on a separate communication thread in the order of submission.
//
// Problem: gradients must travel while the main thread computes. Non-blocking MPI collectives do
// not achieve this overlap, because Open MPI makes progress on the collectives only while a thread
// calls Open MPI. Solution: the submitting thread receives a handle at once, and the communication
// thread runs the blocking collectives.
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
  /// Blocks until the collective is over. Rethrows the exception that the collective threw.
  void wait();
  bool done() const;
  /// Returns the time of submission, in seconds of the steady clock. All four times are valid once
  /// done() returns true.
  double submitted_s() const { return submitted_s_; }
  /// Returns the time at which the input data was ready. Data in host memory is ready at
  /// submission. Data on a device is ready when the device has computed it.
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

/// Callback that the communication thread runs when a collective has ended, just before
/// Work::done() becomes true. The argument is the exception that the collective threw, or null. The
/// callback must not throw.
using OnDone = std::function<void(std::exception_ptr)>;

/// Queue that runs calls of a Communicator on a communication thread. Communicator documents the
/// individual calls. Calls that are **Collective** in Communicator must be submitted in the same
/// order on all ranks. The memory of a Span must stay valid until its Work is done. If the memory
/// is on a device, the queue first waits until the device has finished all work that the submitting
/// thread had started. After an error, every later Work fails with the same error.
class CollectiveQueue {
 public:
  CollectiveQueue(Communicator& communicator, const base::Clock& clock);
  /// Waits until all submitted collectives have ended or failed, then stops the communication
  /// thread.
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
  /// Runs `calls`, which may make several calls of the communicator, as a single entry of the
  /// queue. No other entry runs between these calls. All objects that `calls` refers to must stay
  /// valid until the Work is done.
  std::shared_ptr<Work> run(std::function<void(Communicator&)> calls, OnDone on_done = {});

  /// Waits for `work`, which must belong to this queue. Returns the part of the wait, in seconds,
  /// after the device had finished all work of the calling thread. The device is idle in this part.
  /// Without a device, returns the whole wait.
  double wait_for(Work& work);

  /// Returns the communicator that runs the calls. Other code may use the communicator, for example
  /// to split it, only while this queue is empty.
  Communicator& communicator() { return communicator_; }
  /// Returns the statistics of the communicator.
  CommStats stats() const { return communicator_.stats(); }

 private:
  struct Task {
    std::shared_ptr<Work> work;
    std::function<void(Communicator&)> calls;
    OnDone on_done;
    std::shared_ptr<const Fence> fence;  ///< fence to wait for before the calls; may be null
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
  std::exception_ptr broken_;  ///< first error; used by the communication thread only
  std::thread thread_;
};

}  // namespace dlscale::trainer
