// SPDX-License-Identifier: Apache-2.0
// Threads that make the images of the batches to come, in memory they are given.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "trainer/data/picture_maker.hpp"

namespace dlscale::trainer {

struct PoolSettings {
  const PictureSource& source;
  PictureRecipe recipe;
  const base::Clock& clock;
  int threads = 1;
  BrokenPictures broken = {};
};

/// What the threads have done so far.
struct PoolWork {
  double busy_s = 0;         ///< sum over threads
  std::int64_t bytes = 0;    ///< read
  std::int64_t skipped = 0;  ///< broken pictures that others took the place of
};

/// A batch that is asked for: `taken[i]` is then the sample of image i, the one asked for or the
/// one that takes its place.
struct PictureBatch {
  std::vector<std::int64_t> taken;
  int epoch = 0;
  std::uint8_t* out = nullptr;  ///< taken.size() images, one behind the other
};

/// Batches are finished in the order in which they are asked for, with the same images whatever
/// the number of threads. One thread asks and waits.
class PicturePool {
 public:
  /// Threads start with the first batch that is asked for.
  explicit PicturePool(PoolSettings settings);
  /// Waits for images that are under way, no longer.
  ~PicturePool();
  PicturePool(const PicturePool&) = delete;
  PicturePool& operator=(const PicturePool&) = delete;

  /// Returns at once; `batch.taken` names the samples. Throws base::RunError
  /// (contract::kExitData) where the system gives fewer threads than were asked for.
  void ask(PictureBatch batch);
  /// Waits for the oldest batch asked for. Throws base::RunError (contract::kExitData) that names
  /// the first of its samples that could not be made.
  PictureBatch wait();
  /// Forgets all batches; returns when no thread writes to their memory.
  void forget();
  PoolWork work() const;

 private:
  struct Job {
    PictureBatch batch;
    std::size_t next = 0;  ///< image that no thread has taken yet
    std::size_t done = 0;
    std::size_t failed_at = 0;
    std::exception_ptr failure;
    bool is_ready() const { return done == batch.taken.size(); }
  };

  void work_until_closed(PictureMaker& maker);
  Job* job_with_work();
  void start_threads();

  const PoolSettings settings_;
  std::vector<std::thread> threads_;
  mutable std::mutex mutex_;
  std::condition_variable has_work_, is_done_;
  std::deque<std::unique_ptr<Job>> jobs_;
  PoolWork work_;
  int under_way_ = 0;
  bool closed_ = false;
};

}  // namespace dlscale::trainer
