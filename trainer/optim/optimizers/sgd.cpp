// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent as PyTorch defines it: g += wd p; v = mu v + (1 - dampening) g, and
// v = g in the first step; p -= lr v, or p -= lr (g + mu v) with Nesterov's momentum.
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "trainer/checkpoint/named_tensor.hpp"
#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {
namespace {

class Sgd : public Optimizer {
 public:
  Sgd(const contract::OptimizerSpec& spec, const std::vector<at::Tensor>& parameters)
      : spec_(spec),
        parameters_(parameters),
        stepped_(at::zeros({static_cast<std::int64_t>(parameters.size())}, at::kByte)) {
    if (spec_.momentum == 0) return;
    for (const at::Tensor& parameter : parameters_) velocity_.push_back(at::zeros_like(parameter));
  }

  void step(double learning_rate) override {
    const at::NoGradGuard no_grad;
    for (const bool first : {false, true}) {
      if (gather(first)) step_gathered(learning_rate, first);
    }
  }

  std::vector<NamedTensor> state() override {
    std::vector<NamedTensor> all;
    if (velocity_.empty()) return all;
    all.push_back({"stepped", stepped_});
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
      all.push_back({"velocity_" + std::to_string(i), velocity_[i]});
    }
    return all;
  }

 private:
  /// The parameters that have a gradient and are in their first step, or are not. A parameter the
  /// loss did not depend on has no gradient and stays as it is.
  bool gather(bool first) {
    chosen_.clear();
    gradients_.clear();
    chosen_velocity_.clear();
    auto* const stepped = stepped_.data_ptr<std::uint8_t>();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if ((stepped[i] != 0) == first || !parameters_[i].grad().defined()) continue;
      chosen_.push_back(parameters_[i]);
      gradients_.push_back(parameters_[i].grad());
      if (!velocity_.empty()) chosen_velocity_.push_back(velocity_[i]);
      if (first) stepped[i] = 1;
    }
    return !chosen_.empty();
  }

  void step_gathered(double learning_rate, bool first) {
    at::_fused_sgd_(chosen_, gradients_, chosen_velocity_, spec_.weight_decay, spec_.momentum,
                    learning_rate, spec_.dampening, spec_.nesterov, /*maximize=*/false, first);
  }

  contract::OptimizerSpec spec_;
  std::vector<at::Tensor> parameters_;
  at::Tensor stepped_;  ///< of each parameter: 1 after its first step
  std::vector<at::Tensor> velocity_;
  // Members, so that a step allocates nothing.
  std::vector<at::Tensor> chosen_, gradients_, chosen_velocity_;
};

std::unique_ptr<Optimizer> make(const contract::OptimizerSpec& spec,
                                const std::vector<at::Tensor>& parameters) {
  return std::make_unique<Sgd>(spec, parameters);
}

}  // namespace

extern const OptimizerEntry sgd_entry;
const OptimizerEntry sgd_entry{"sgd", "SGD with momentum, Nesterov and weight decay", make};

}  // namespace dlscale::trainer
