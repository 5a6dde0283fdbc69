// SPDX-License-Identifier: Apache-2.0
// Fills memory on a device while the device computes on other memory.
#pragma once

#include <functional>

namespace dlscale::trainer {

/// Two slots of memory that take turns: while the computation reads one, the other is filled.
class SideStream {
 public:
  static constexpr int kSlots = 2;
  virtual ~SideStream() = default;
  /// Gives the device `work`, which fills the slot, to do beside the computation: after the work
  /// that release() has marked.
  virtual void fill(int slot, const std::function<void()>& work) = 0;
  /// The computation given from now on waits until the slot is filled.
  virtual void use(int slot) = 0;
  /// The computation given so far is the last one that uses the slot's present contents.
  virtual void release(int slot) = 0;
};

}  // namespace dlscale::trainer
