// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent as PyTorch defines it: g += wd p; v = mu v + (1 - dampening) g, and
// v = g in the first step; p -= lr v, or p -= lr (g + mu v) with Nesterov's momentum.
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros_like.h>

#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {
namespace {

class Sgd : public Optimizer {
 public:
  Sgd(const contract::OptimizerSpec& spec, const std::vector<at::Tensor>& parameters)
      : spec_(spec), parameters_(parameters) {
    if (spec_.momentum == 0) return;
    for (const at::Tensor& parameter : parameters_) velocity_.push_back(at::zeros_like(parameter));
  }

  void step(double learning_rate) override {
    const at::NoGradGuard no_grad;
    for (const at::Tensor& parameter : parameters_) gradients_.push_back(parameter.grad());
    at::_fused_sgd_(parameters_, gradients_, velocity_, spec_.weight_decay, spec_.momentum,
                    learning_rate, spec_.dampening, spec_.nesterov, /*maximize=*/false,
                    first_step_);
    gradients_.clear();
    first_step_ = false;
  }

 private:
  contract::OptimizerSpec spec_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> gradients_;  // empty between steps; its memory is kept
  std::vector<at::Tensor> velocity_;
  bool first_step_ = true;
};

std::unique_ptr<Optimizer> make(const contract::OptimizerSpec& spec,
                                const std::vector<at::Tensor>& parameters) {
  return std::make_unique<Sgd>(spec, parameters);
}

}  // namespace

extern const OptimizerEntry sgd_entry;
const OptimizerEntry sgd_entry{"sgd", "SGD with momentum, Nesterov and weight decay", make};

}  // namespace dlscale::trainer
