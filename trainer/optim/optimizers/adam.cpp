// SPDX-License-Identifier: Apache-2.0
#include "trainer/optim/optimizers/adam.hpp"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/optim/step_unit.hpp"

namespace dlscale::trainer {
namespace {

class MomentOptimizer : public Optimizer {
 public:
  MomentOptimizer(const contract::OptimizerSpec& spec, const Stepped& stepped, DecayPlace decay)
      : spec_(spec),
        decay_(decay),
        parameters_(stepped.tensors),
        units_(units_by_decay(spec, stepped)) {
    for (const at::Tensor& parameter : parameters_) {
      mean_.push_back(at::zeros_like(parameter));
      square_.push_back(at::zeros_like(parameter));
      // The step counts are fp32 tensors on the device, because LibTorch's fused kernels require
      // this type.
      steps_.push_back(at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
    }
  }

  void step(double learning_rate) override {
    const at::NoGradGuard no_grad;
    count();
    for (const bool decays : {true, false}) {
      gather(decays);
      if (!chosen_.empty()) step_gathered(learning_rate, decays ? spec_.weight_decay : 0);
    }
  }

  std::vector<NamedTensor> state() override {
    std::vector<NamedTensor> all;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const std::string number = std::to_string(i);
      all.push_back({"step_" + number, steps_[i]});
      all.push_back({"mean_" + number, mean_[i]});
      all.push_back({"square_" + number, square_[i]});
    }
    return all;
  }

 private:
  void count() {
    std::vector<at::Tensor> stepped;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].grad().defined()) stepped.push_back(steps_[i]);
    }
    if (!stepped.empty()) at::_foreach_add_(stepped, 1);
  }

  /// Collects the tensors of the units whose decay flag equals `decays`. Skips parameters without a
  /// gradient. The loss does not depend on such a parameter, so the parameter keeps its value.
  void gather(bool decays) {
    for (auto* list : {&chosen_, &gradients_, &chosen_mean_, &chosen_square_, &chosen_steps_}) {
      list->clear();
    }
    for (const StepUnit& unit : units_) {
      const at::Tensor& parameter = unit.in(parameters_);
      if (unit.decays != decays || !parameter.grad().defined()) continue;
      chosen_.push_back(unit.row_of(parameter, parameter));
      gradients_.push_back(unit.row_of(parameter.grad(), parameter));
      chosen_mean_.push_back(unit.row_of(unit.in(mean_), parameter));
      chosen_square_.push_back(unit.row_of(unit.in(square_), parameter));
      chosen_steps_.push_back(unit.in(steps_));
    }
  }

  void step_gathered(double learning_rate, double weight_decay) {
    const auto& [beta1, beta2, epsilon] = spec_.adam;
    if (decay_ == DecayPlace::gradient) {
      at::_fused_adam_(chosen_, gradients_, chosen_mean_, chosen_square_, {}, chosen_steps_,
                       learning_rate, beta1, beta2, weight_decay, epsilon, /*amsgrad=*/false,
                       /*maximize=*/false);
    } else {
      at::_fused_adamw_(chosen_, gradients_, chosen_mean_, chosen_square_, {}, chosen_steps_,
                        learning_rate, beta1, beta2, weight_decay, epsilon, /*amsgrad=*/false,
                        /*maximize=*/false);
    }
  }

  contract::OptimizerSpec spec_;
  DecayPlace decay_;
  std::vector<at::Tensor> parameters_;
  std::vector<StepUnit> units_;
  std::vector<at::Tensor> mean_, square_;  ///< running means of g and of g^2 for each tensor
  std::vector<at::Tensor> steps_;          ///< number of steps that updated each tensor
  // These lists are members instead of local variables, so that a step need not allocate their
  // memory again.
  std::vector<at::Tensor> chosen_, gradients_, chosen_mean_, chosen_square_, chosen_steps_;
};

}  // namespace

std::unique_ptr<Optimizer> make_moment_optimizer(const contract::OptimizerSpec& spec,
                                                 const Stepped& stepped, DecayPlace decay) {
  return std::make_unique<MomentOptimizer>(spec, stepped, decay);
}

// The optimizer Adam adds weight decay to the gradient.

namespace {

std::unique_ptr<Optimizer> make_adam(const contract::OptimizerSpec& spec, const Stepped& stepped) {
  return make_moment_optimizer(spec, stepped, DecayPlace::gradient);
}

}  // namespace

extern const OptimizerEntry adam_entry;
const OptimizerEntry adam_entry{"adam", "Adam, with weight decay added to the gradient", make_adam};

// The optimizer AdamW applies weight decay directly to the parameters.

namespace {

std::unique_ptr<Optimizer> make_adamw(const contract::OptimizerSpec& spec, const Stepped& stepped) {
  return make_moment_optimizer(spec, stepped, DecayPlace::parameter);
}

}  // namespace

extern const OptimizerEntry adamw_entry;
const OptimizerEntry adamw_entry{"adamw", "AdamW: Adam with decoupled weight decay", make_adamw};

}  // namespace dlscale::trainer
