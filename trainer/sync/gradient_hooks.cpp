// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/gradient_hooks.hpp"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/types.h>

#include <memory>
#include <utility>

namespace dlscale::trainer {
namespace {

class GradientHooksHook : public torch::autograd::PostAccumulateGradHook {
 public:
  GradientHooksHook(std::size_t parameter, std::function<void(std::size_t)> ready)
      : parameter_(parameter), ready_(std::move(ready)) {}
  void operator()(const torch::autograd::Variable&) override { ready_(parameter_); }

 private:
  std::size_t parameter_;
  std::function<void(std::size_t)> ready_;
};

}  // namespace

GradientHooks::GradientHooks(std::vector<at::Tensor> parameters,
                             const std::function<void(std::size_t)>& ready)
    : parameters_(std::move(parameters)) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameters_[i],
                                                   std::make_unique<GradientHooksHook>(i, ready));
  }
}

GradientHooks::~GradientHooks() {
  for (const at::Tensor& parameter : parameters_) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
  }
}

}  // namespace dlscale::trainer
