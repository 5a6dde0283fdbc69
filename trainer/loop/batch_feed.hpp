// SPDX-License-Identifier: Apache-2.0
// Transfer of a loader's batches to the device, in parallel with the computation where the device
// supports it.
#pragma once

#include <array>
#include <memory>

#include "trainer/data/device_copy.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/device.hpp"
#include "trainer/record/step_timer.hpp"

namespace dlscale::trainer {

/// Feed of batches on the device. On a GPU, two device buffers alternate: once the work of a step
/// has been submitted to the GPU, the next batch is loaded, copied and normalised in another
/// stream. A batch that the loader delivers repeatedly is copied once.
class BatchFeed {
 public:
  /// Creates the feed. All arguments must outlive the feed.
  BatchFeed(Loader& loader, Device& device, const Dataset& dataset, Precision precision);

  /// Discards batches not yet delivered and starts `delivery`.
  void start(Delivery delivery);
  /// Returns the next batch, on the device. Enters the step parts load_wait and h2d. The memory of
  /// the batch is valid until the following call of next().
  Batch next(StepTimer& timer);
  /// Starts to transfer the next batch, if there is one. Must be called after the work on the
  /// present batch has been submitted to the device. Enters the step parts load_wait and h2d. The
  /// caller leaves the last part.
  void fetch_ahead(StepTimer& timer);

 private:
  bool fits(const Batch& batch, const Batch& buffer) const;

  Loader& loader_;
  Device& device_;
  DeviceCopy device_copy_;
  std::int64_t left_ = 0;  ///< number of samples that the loader has not yet delivered
  Batch kept_;             ///< batch of a loader that repeats one batch
  std::unique_ptr<SideStream> side_;
  std::array<Batch, SideStream::kSlots> buffers_;
  int slot_ = 0;        ///< slot of the batch that next() returned last, if it used a buffer
  bool ahead_ = false;  ///< true when the other slot holds the next batch
  Batch direct_;  ///< next batch, outside the buffers: it has another shape or already lies on the
                  ///< device
};

}  // namespace dlscale::trainer
