// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/picture_pool.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

PicturePool::PicturePool(PoolSettings settings) : settings_(std::move(settings)) {}

PicturePool::~PicturePool() {
  forget();
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PicturePool::ask(PictureBatch batch) {
  settings_.source.will_read(batch.taken);
  auto job = std::make_unique<Job>();
  job->batch = std::move(batch);
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  has_work_.notify_all();
  start_threads();
}

/// Starts the threads of the pool. Throws if the system cannot start all requested threads. With
/// fewer threads, the run would measure a different speed than its description promises.
void PicturePool::start_threads() {
  while (static_cast<int>(threads_.size()) < settings_.threads) {
    // The maker is created here and not in the new thread, so that its exceptions reach the caller.
    auto maker = std::make_unique<PictureMaker>(settings_.source, settings_.recipe);
    try {
      threads_.emplace_back([this, maker = std::move(maker)] { work_until_closed(*maker); });
    } catch (const std::system_error& refused) {
      throw base::RunError(
          fmt::format("loader_options.threads: only {} of {} decoding threads can be started: {}; "
                      "use fewer threads, or raise the limit of user processes (ulimit -u)",
                      threads_.size(), settings_.threads, refused.code().message()),
          contract::kExitData);
    }
  }
}

PictureBatch PicturePool::wait() {
  std::unique_lock lock(mutex_);
  is_done_.wait(lock, [this] { return jobs_.front()->is_ready(); });
  const std::unique_ptr<Job> job = std::move(jobs_.front());
  jobs_.pop_front();
  if (job->failure) std::rethrow_exception(job->failure);
  return std::move(job->batch);
}

void PicturePool::forget() {
  std::unique_lock lock(mutex_);
  for (const auto& job : jobs_) job->next = job->batch.taken.size();
  is_done_.wait(lock, [this] { return under_way_ == 0; });
  jobs_.clear();
}

PoolWork PicturePool::work() const {
  const std::lock_guard lock(mutex_);
  return work_;
}

/// Returns the oldest job that has an image that no thread has started, or null if there is no such
/// job.
PicturePool::Job* PicturePool::job_with_work() {
  for (const auto& job : jobs_) {
    if (job->next < job->batch.taken.size()) return job.get();
  }
  return nullptr;
}

void PicturePool::work_until_closed(PictureMaker& maker) {
  const std::int64_t image_bytes = settings_.recipe.bytes();
  std::unique_lock lock(mutex_);
  for (;;) {
    Job* job = nullptr;
    has_work_.wait(lock, [&] { return closed_ || (job = job_with_work()) != nullptr; });
    if (closed_) return;
    const std::size_t place = job->next++;
    const std::int64_t sample = job->batch.taken[place], read_before = maker.bytes_read();
    ++under_way_;
    lock.unlock();
    const double start_s = settings_.clock.steady_s();
    std::int64_t taken = sample;
    std::exception_ptr failure;
    try {
      std::uint8_t* const out = job->batch.out + static_cast<std::int64_t>(place) * image_bytes;
      taken = make_whole(settings_.source, settings_.broken, sample,
                         [&](std::int64_t one) { maker.make(one, job->batch.epoch, out); });
    } catch (...) {
      failure = std::current_exception();
    }
    const double end_s = settings_.clock.steady_s();
    lock.lock();
    work_.busy_s += end_s - start_s;
    work_.bytes += maker.bytes_read() - read_before;
    work_.skipped += taken == sample ? 0 : 1;
    job->batch.taken[place] = taken;
    if (failure && (!job->failure || place < job->failed_at)) {
      job->failure = failure;
      job->failed_at = place;
    }
    ++job->done;
    --under_way_;
    if (job->is_ready() || under_way_ == 0) is_done_.notify_all();
  }
}

}  // namespace dlscale::trainer
