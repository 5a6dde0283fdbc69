// SPDX-License-Identifier: Apache-2.0
// Hooks that report when a gradient is ready, and an adapter that passes gradients on in the same
// order on all ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dlscale::trainer {

// Hooks that report when a gradient is ready.

/// Hooks that report each time backward has added to the gradient of a parameter. A parameter can
/// have only one hook. The hooks are removed when this object is destroyed.
class GradientHooks {
 public:
  GradientHooks() = default;
  /// Sets the hooks. `ready` gets the index of a parameter, on the thread that runs backward.
  GradientHooks(std::vector<at::Tensor> parameters, const std::function<void(std::size_t)>& ready);
  ~GradientHooks();
  GradientHooks(GradientHooks&&) noexcept = default;
  GradientHooks& operator=(GradientHooks&&) noexcept = default;

 private:
  std::vector<at::Tensor> parameters_;
};

// Adapter that passes items on in the same order on all ranks, although they become ready in
// different orders.

/// Adapter that passes items on from last to first, the order in which backward reaches them. An
/// item that is ready waits until all later items have been passed on. The order is therefore the
/// same on all ranks, even if a rank does not use an item or if an item is ready at a different
/// time.
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
  /// Passes on all remaining items, ready or not.
  void finish() {
    while (left_ > 0) hand_on_(--left_);
  }

 private:
  std::function<void(std::size_t)> hand_on_;
  std::vector<bool> is_ready_;
  std::size_t left_;  ///< number of first items that are not passed on yet
};

}  // namespace dlscale::trainer
