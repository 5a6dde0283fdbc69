// SPDX-License-Identifier: Apache-2.0
// Being told when a parameter's gradient is there, and handing on in the same order on all ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace dlscale::trainer {

// Being told when a parameter's gradient is there.

/// While it lives, parameters tell when backward has added to their gradients; each has one hook.
class GradientHooks {
 public:
  GradientHooks() = default;
  /// `ready` gets a parameter's number, on the thread that runs backward.
  GradientHooks(std::vector<at::Tensor> parameters, const std::function<void(std::size_t)>& ready);
  ~GradientHooks();
  GradientHooks(GradientHooks&&) noexcept = default;
  GradientHooks& operator=(GradientHooks&&) noexcept = default;

 private:
  std::vector<at::Tensor> parameters_;
};

// Handing on in the same order on all ranks what gets ready in different ones.

/// Backward gets to the last thing first. What is ready waits until all behind it are handed on:
/// ranks on which something is not in use, or ready at another time, still agree on the order.
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
  /// Hands on the rest, ready or not.
  void finish() {
    while (left_ > 0) hand_on_(--left_);
  }

 private:
  std::function<void(std::size_t)> hand_on_;
  std::vector<bool> is_ready_;
  std::size_t left_;  ///< those before it are not handed on yet
};

}  // namespace dlscale::trainer
