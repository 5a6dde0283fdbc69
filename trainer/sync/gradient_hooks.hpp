// SPDX-License-Identifier: Apache-2.0
// Being told when a parameter's gradient is there.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace dlscale::trainer {

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

}  // namespace dlscale::trainer
