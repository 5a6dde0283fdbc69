// SPDX-License-Identifier: Apache-2.0
// Communication thread that runs the submitted collectives one after the other.
#include "trainer/comm/collective_queue.hpp"

#include <algorithm>

#include "trainer/comm/realtime_thread.hpp"

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
  return submit(
      data.memory, [data, op](Communicator& c) { c.all_reduce(data, op); }, std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::reduce_scatter(Span in, Span out, ReduceOp op,
                                                      OnDone on_done) {
  return submit(
      in.memory, [in, out, op](Communicator& c) { c.reduce_scatter(in, out, op); },
      std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::all_gather(Span in, Span out, OnDone on_done) {
  return submit(
      in.memory, [in, out](Communicator& c) { c.all_gather(in, out); }, std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::broadcast(Span data, int root, OnDone on_done) {
  return submit(
      data.memory, [data, root](Communicator& c) { c.broadcast(data, root); }, std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::reduce(Span data, ReduceOp op, int root, OnDone on_done) {
  return submit(
      data.memory, [data, op, root](Communicator& c) { c.reduce(data, op, root); },
      std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::exchange(Span out, int to, Span in, int from,
                                                OnDone on_done) {
  return submit(
      to == kNobody ? in.memory : out.memory,
      [out, to, in, from](Communicator& c) { c.exchange(out, to, in, from); }, std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::barrier(OnDone on_done) {
  return submit(
      Memory::host, [](Communicator& c) { c.barrier(); }, std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::run(std::function<void(Communicator&)> calls,
                                           OnDone on_done) {
  return submit(Memory::device, std::move(calls), std::move(on_done));
}

std::shared_ptr<Work> CollectiveQueue::submit(Memory memory,
                                              std::function<void(Communicator&)> calls,
                                              OnDone on_done) {
  auto work = std::make_shared<Work>();
  work->submitted_s_ = clock_.steady_s();
  auto fence = memory == Memory::device ? communicator_.fence() : nullptr;
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({work, std::move(calls), std::move(on_done), std::move(fence)});
  }
  arrived_.notify_one();
  return work;
}

double CollectiveQueue::wait_for(Work& work) {
  const auto all_given = communicator_.fence();
  const double begin_s = clock_.steady_s();
  work.wait();
  const double waited_s = clock_.steady_s() - begin_s;
  return all_given ? std::min(waited_s, all_given->age_s()) : waited_s;
}

void CollectiveQueue::serve() {
  request_realtime_priority();
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
      if (task.fence) {
        task.fence->wait();
        work.started_s_ = clock_.steady_s();
      }
      task.calls(communicator_);
    } catch (...) {
      broken_ = std::current_exception();
    }
  }
  work.finished_s_ = clock_.steady_s();
  work.ready_s_ = task.fence ? std::max(work.submitted_s_, work.finished_s_ - task.fence->age_s())
                             : work.submitted_s_;
  if (task.on_done) task.on_done(broken_);
  {
    const std::lock_guard lock(work.mutex_);
    work.error_ = broken_;
    work.done_ = true;
  }
  work.finished_.notify_all();
}

}  // namespace dlscale::trainer
