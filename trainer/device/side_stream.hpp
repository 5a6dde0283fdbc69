// SPDX-License-Identifier: Apache-2.0
// Stream that fills device memory while the device computes on other memory.
#pragma once

#include <functional>

namespace dlscale::trainer {

/// Double buffer in device memory: while the computation reads one slot, the other slot is filled.
class SideStream {
 public:
  static constexpr int kSlots = 2;
  virtual ~SideStream() = default;
  /// Submits `work`, which fills the slot, to run in parallel with the computation. `work` starts
  /// after the computation that release() marked for this slot.
  virtual void fill(int slot, const std::function<void()>& work) = 0;
  /// Makes the computation submitted from now on wait until the slot is filled.
  virtual void use(int slot) = 0;
  /// Marks the computation submitted so far as the last use of the slot's present contents.
  virtual void release(int slot) = 0;
};

}  // namespace dlscale::trainer
