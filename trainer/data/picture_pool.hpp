// SPDX-License-Identifier: Apache-2.0
// Threads that prepare the images of future batches in memory that the caller provides.
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

/// Work of all threads so far.
struct PoolWork {
  double busy_s = 0;         ///< busy seconds, summed over the threads
  std::int64_t bytes = 0;    ///< number of bytes read
  std::int64_t skipped = 0;  ///< number of broken images that were replaced
};

/// A batch to make or a finished batch. In a request, `taken[i]` is the requested sample for image
/// i. In a finished batch, `taken[i]` is the requested sample or the sample that replaced it.
struct PictureBatch {
  std::vector<std::int64_t> taken;
  int epoch = 0;
  std::uint8_t* out = nullptr;  ///< memory for taken.size() consecutive images
};

/// Pool of threads that make images. Batches finish in the order of the requests. The images do not
/// depend on the number of threads. Only one thread may request batches and wait for them.
class PicturePool {
 public:
  /// Stores the settings. The threads start with the first requested batch.
  explicit PicturePool(PoolSettings settings);
  /// Stops the threads. Each thread first finishes the image that it is making.
  ~PicturePool();
  PicturePool(const PicturePool&) = delete;
  PicturePool& operator=(const PicturePool&) = delete;

  /// Requests a batch and returns at once. `batch.taken` lists the samples. Throws base::RunError
  /// (contract::kExitData) if the system cannot start all threads of the pool.
  void ask(PictureBatch batch);
  /// Waits for the oldest requested batch and returns the batch. If an image could not be made,
  /// throws base::RunError (contract::kExitData) with the name of the first such sample in the
  /// batch.
  PictureBatch wait();
  /// Discards all requested batches. Returns when no thread writes to the memory of these batches
  /// any more.
  void forget();
  PoolWork work() const;

 private:
  struct Job {
    PictureBatch batch;
    std::size_t next = 0;  ///< index of the next image that a thread will make
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
