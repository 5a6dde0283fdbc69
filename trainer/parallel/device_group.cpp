// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/device_group.hpp"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <c10/core/Device.h>
#include <fmt/format.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/device/core_groups.hpp"
#include "trainer/profile/operator_watch.hpp"

namespace dlscale::trainer {

/// Thread that runs the work items of one device, one after the other.
class DeviceGroup::Worker {
 public:
  Worker(Device& device, int cores, std::vector<int> processors)
      : device_(device), thread_([this, cores, bound = std::move(processors)] {
          if (!bound.empty()) bind_to(bound);
          at::set_num_threads(cores);  // applies to operators called from this thread
          serve();
        }) {}

  ~Worker() {
    start({});
    thread_.join();
  }

  /// Starts `work` on the thread. An empty function ends the thread. The caller must call wait()
  /// before it starts the next work item.
  void start(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
    busy_ = true;
    changed_.notify_all();
  }

  /// Waits for the work item to finish. Returns the exception that the work item threw, or null if
  /// the work item succeeded.
  std::exception_ptr wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
    return std::exchange(error_, nullptr);
  }

 private:
  void serve() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return busy_; });
      if (!work_) return;
      const std::function<void()> work = std::exchange(work_, nullptr);
      lock.unlock();
      std::exception_ptr error;
      try {
        work();
        device_.synchronize();
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      error_ = error;
      busy_ = false;
      changed_.notify_all();
    }
  }

  Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  bool busy_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

DeviceGroup::DeviceGroup(const DeviceEntry& kind, int count, const DeviceContext& each) {
  for (int i = 0; i < count; ++i) {
    DeviceContext context = each;
    context.local_rank = i;
    devices_.push_back(kind.make(context));
    const c10::Device device = devices_.back()->torch_device();
    if (device.is_cpu() || device.index() == i) continue;
    throw base::RunError(fmt::format("{} devices are requested, but only {} are visible", count, i),
                         contract::kExitBadRunDescription);
  }
  if (count == 1) return;
  const CoreGroups cores = deal_out(usable_processors(), count, each.cores);
  words_ = cores.words;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    workers_.push_back(std::make_unique<Worker>(
        *devices_[i], each.cores,
        cores.processors.empty() ? std::vector<int>() : cores.processors[i]));
  }
}

DeviceGroup::~DeviceGroup() = default;

void DeviceGroup::on_each(int count, const std::function<void(int device)>& work) {
  if (workers_.empty()) {
    work(0);
    devices_.front()->synchronize();
    return;
  }
  const at::ThreadLocalState state;
  OperatorWatch* const watch = operator_watch();
  for (int i = 0; i < count; ++i) {
    workers_[static_cast<std::size_t>(i)]->start([&, i] {
      const at::ThreadLocalStateGuard as_caller(state);
      const WatchedBy as_well(watch);
      work(i);
    });
  }
  std::exception_ptr first;
  for (int i = 0; i < count; ++i) {
    const std::exception_ptr error = workers_[static_cast<std::size_t>(i)]->wait();
    if (error && !first) first = error;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace dlscale::trainer
