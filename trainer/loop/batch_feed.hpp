// SPDX-License-Identifier: Apache-2.0
// Brings a loader's batches to the device, where that can be done while the device computes.
#pragma once

#include <array>
#include <memory>

#include "trainer/data/hand_over.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/device.hpp"
#include "trainer/record/step_timer.hpp"

namespace dlscale::trainer {

/// On a GPU two buffers of the device take turns: once the work of a step has been given to the
/// GPU, the next batch is loaded, copied and normalised in another stream. A loader that delivers
/// the same batch again and again has it copied once.
class BatchFeed {
 public:
  /// All outlive the feed.
  BatchFeed(Loader& loader, Device& device, const Dataset& dataset, Precision precision);

  /// Leaves what has not been delivered yet and turns to `delivery`.
  void start(Delivery delivery);
  /// The next batch, on the device. Enters load_wait and h2d. Its memory may be used until the next
  /// call of next().
  Batch next(StepTimer& timer);
  /// Begins to bring the following batch, if there is one. To be called when the work on the
  /// present one has been given to the device. Enters load_wait and h2d; the caller leaves the last
  /// one.
  void fetch_ahead(StepTimer& timer);

 private:
  bool fits(const Batch& batch, const Batch& buffer) const;

  Loader& loader_;
  Device& device_;
  HandOver hand_over_;
  std::int64_t left_ = 0;  ///< samples that the loader has not delivered
  Batch kept_;             ///< of a loader that repeats
  std::unique_ptr<SideStream> side_;
  std::array<Batch, SideStream::kSlots> buffers_;
  int slot_ = 0;        ///< whose batch next() returned last, if it came from a buffer
  bool ahead_ = false;  ///< the other slot holds the next batch
  Batch direct_;  ///< fetched ahead, but not into a buffer: of another shape, or already on the
                  ///< device
};

}  // namespace dlscale::trainer
