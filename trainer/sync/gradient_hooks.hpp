// SPDX-License-Identifier: Apache-2.0
// Hooks that report when a gradient is ready, and an adapter that forwards gradients in the same
// order on all ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dlscale::trainer {

// The following class sets hooks that report when a gradient is ready.

/// Hooks that run each time the backward pass has added to the gradient of a parameter. A parameter
/// can have only one hook. The destructor removes the hooks.
class GradientHooks {
 public:
  GradientHooks() = default;
  /// Sets the hooks. Each hook calls `ready` with the index of its parameter, on the thread that
  /// runs the backward pass.
  GradientHooks(std::vector<at::Tensor> parameters, const std::function<void(std::size_t)>& ready);
  ~GradientHooks();
  GradientHooks(GradientHooks&&) noexcept = default;
  GradientHooks& operator=(GradientHooks&&) noexcept = default;

 private:
  std::vector<at::Tensor> parameters_;
};

// The following class forwards items in the same order on all ranks, although the items may become
// ready in different orders.

/// Adapter that forwards items from the last to the first, which is the order in which the backward
/// pass normally reaches them. A ready item waits until all items with a higher index have been
/// forwarded. The order is therefore the same on all ranks, even if an item becomes ready at
/// different times on different ranks, or if some ranks do not use the item.
class LastToFirst {
 public:
  LastToFirst(std::size_t count, std::function<void(std::size_t)> hand_on)
      : hand_on_(std::move(hand_on)), is_ready_(count), left_(count) {}

  void restart() {
    std::fill(is_ready_.begin(), is_ready_.end(), false);
    left_ = is_ready_.size();
  }
  void ready(std::size_t i) {
    is_ready_[i] = true;
    while (left_ > 0 && is_ready_[left_ - 1]) hand_on_(--left_);
  }
  /// Forwards all remaining items, whether they are ready or not.
  void finish() {
    while (left_ > 0) hand_on_(--left_);
  }

 private:
  std::function<void(std::size_t)> hand_on_;
  std::vector<bool> is_ready_;
  std::size_t left_;  ///< number of items not forwarded yet
};

}  // namespace dlscale::trainer
