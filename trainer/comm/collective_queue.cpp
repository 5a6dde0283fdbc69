// SPDX-License-Identifier: Apache-2.0
// The communication thread: takes collectives in order and runs each to its end.
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

void Work::wait() {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return done_; });
  if (error_) std::rethrow_exception(error_);
}

bool Work::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

CollectiveQueue::CollectiveQueue(Communicator& communicator, const base::Clock& clock)
    : communicator_(communicator), clock_(clock), thread_([this] { serve(); }) {}

CollectiveQueue::~CollectiveQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

std::shared_ptr<Work> CollectiveQueue::all_reduce(Span data, ReduceOp op, OnDone on_done) {
  return submit([this, data, op] { communicator_.all_reduce(data, op); },
                static_cast<std::int64_t>(data.bytes()), std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::broadcast(Span data, int root, OnDone on_done) {
  return submit([this, data, root] { communicator_.broadcast(data, root); },
                static_cast<std::int64_t>(data.bytes()), std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::all_gather(Span in, Span out, OnDone on_done) {
  return submit([this, in, out] { communicator_.all_gather(in, out); },
                static_cast<std::int64_t>(in.bytes()), std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::barrier(OnDone on_done) {
  return submit([this] { communicator_.barrier(); }, 0, std::move(on_done));
}

CommStats CollectiveQueue::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

std::shared_ptr<Work> CollectiveQueue::submit(std::function<void()> run, std::int64_t bytes,
                                              OnDone on_done) {
  auto work = std::make_shared<Work>();
  work->submitted_s_ = clock_.steady_s();
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({work, std::move(run), std::move(on_done), bytes});
  }
  arrived_.notify_one();
  return work;
}

void CollectiveQueue::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    execute(task);
    lock.lock();
  }
}

void CollectiveQueue::execute(const Task& task) {
  Work& work = *task.work;
  work.started_s_ = clock_.steady_s();
  if (!broken_) {
    try {
      task.run();
    } catch (...) {
      broken_ = std::current_exception();
    }
  }
  work.finished_s_ = clock_.steady_s();
  if (!broken_) {
    const std::lock_guard lock(mutex_);
    ++stats_.collectives;
    stats_.bytes += task.bytes;
    stats_.busy_s += work.finished_s_ - work.started_s_;
  }
  if (task.on_done) task.on_done(broken_);
  {
    const std::lock_guard lock(work.mutex_);
    work.error_ = broken_;
    work.done_ = true;
  }
  work.finished_.notify_all();
}

}  // namespace dlscale::trainer
