// SPDX-License-Identifier: Apache-2.0
// Second stream of a device. The stream copies data to one part of device memory while the device
// computes on another part.
#pragma once

#include <functional>

namespace dlscale::trainer {

/// Stream that fills a double buffer in device memory. While the computation reads one slot of the
/// buffer, the stream fills the other slot.
class SideStream {
 public:
  static constexpr int kSlots = 2;
  virtual ~SideStream() = default;
  /// Submits `work`, which fills the slot and runs in parallel with the computation. `work` starts
  /// only when the computation that used the previous contents of the slot is done (see release()).
  virtual void fill(int slot, const std::function<void()>& work) = 0;
  /// Makes all computation that is submitted after this call wait until the slot is filled.
  virtual void use(int slot) = 0;
  /// Declares that no computation submitted after this call reads the present contents of the slot.
  /// The next fill() of the slot waits for the computation submitted before this call.
  virtual void release(int slot) = 0;
};

}  // namespace dlscale::trainer
