// SPDX-License-Identifier: Apache-2.0
// Transfer of batches from a loader to the device. The transfer runs in parallel with the
// computation if the device supports parallel transfers.
#pragma once

#include <array>
#include <memory>

#include "trainer/data/device_copy.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/device.hpp"
#include "trainer/record/step_timer.hpp"

namespace dlscale::trainer {

/// Feed of batches on the device. On a GPU, two buffers in device memory alternate. While the GPU
/// computes a step on the batch in one buffer, the next batch is loaded, copied to the other buffer
/// and normalised there, in another stream. A batch that the loader delivers repeatedly is copied
/// only once.
class BatchFeed {
 public:
  /// Creates the feed. All arguments must outlive the feed.
  BatchFeed(Loader& loader, Device& device, const Dataset& dataset, Precision precision);

  /// Discards the batches of the previous delivery that next() has not yet returned, and starts
  /// `delivery`.
  void start(Delivery delivery);
  /// Returns the next batch, in device memory. Enters the step parts load_wait and h2d. The batch
  /// is valid until the following call of next().
  Batch next(StepTimer& timer);
  /// Starts to transfer the next batch, if there is one. Must be called after all work on the
  /// present batch has been submitted to the device. Enters the step parts load_wait and h2d. The
  /// caller ends the active step part.
  void fetch_ahead(StepTimer& timer);

 private:
  bool fits(const Batch& batch, const Batch& buffer) const;

  Loader& loader_;
  DeviceCopy device_copy_;
  std::int64_t left_ = 0;  ///< number of samples that the loader has not yet delivered
  Batch kept_;             ///< device copy of the batch, for a loader that repeats one batch
  std::unique_ptr<SideStream> side_;
  std::array<Batch, SideStream::kSlots> buffers_;
  int slot_ = 0;  ///< slot of the batch that next() returned last, if a buffer holds this batch
  bool ahead_ = false;  ///< true when the other slot holds the next batch
  /// Next batch, when the buffers do not hold it because the batch has another shape or the loader
  /// already delivered it in device memory.
  Batch direct_;
};

}  // namespace dlscale::trainer
