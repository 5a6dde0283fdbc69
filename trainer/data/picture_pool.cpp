// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/picture_pool.hpp"

#include <fmt/format.h>

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
  while (static_cast<int>(threads_.size()) < settings_.threads) {
    // Here, where what it throws is caught.
    auto maker = std::make_unique<PictureMaker>(settings_.source, settings_.recipe);
    threads_.emplace_back([this, maker = std::move(maker)] { work_until_closed(*maker); });
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

/// The oldest one with an image that nobody makes yet; null where there is none.
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
      taken = make(maker, sample, job->batch.epoch,
                   job->batch.out + static_cast<std::int64_t>(place) * image_bytes);
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

/// The sample whose image it has become.
std::int64_t PicturePool::make(PictureMaker& maker, std::int64_t sample, int epoch, void* out) {
  std::string problem;
  std::int64_t taken = sample;
  for (std::int64_t tried = 0; tried == 0 || tried < settings_.replacements; ++tried) {
    try {
      maker.make(taken, epoch, out);
      return taken;
    } catch (const images::BrokenPicture& broken) {
      if (problem.empty()) problem = broken.what();
    }
    if (settings_.replacements > 0) taken = (taken + 1) % settings_.replacements;
  }
  fail(sample, problem);
}

void PicturePool::fail(std::int64_t sample, const std::string& problem) const {
  throw base::RunError(
      fmt::format("cannot read {}: {}; {}", settings_.source.name(sample), problem,
                  settings_.replacements > 0
                      ? "nor any other picture of the training set"
                      : "replace or remove it, or train with loader_options.on_broken = \"skip\""),
      contract::kExitData);
}

}  // namespace dlscale::trainer
