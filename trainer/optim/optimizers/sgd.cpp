// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent as PyTorch defines it.
//
// A step computes:
//   g += wd p
//   v = mu v + (1 - dampening) g, and v = g in the first step
//   p -= lr v, or p -= lr (g + mu v) with Nesterov's momentum
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/optim/step_unit.hpp"

namespace dlscale::trainer {
namespace {

class Sgd : public Optimizer {
 public:
  Sgd(const contract::OptimizerSpec& spec, const Stepped& stepped)
      : spec_(spec),
        parameters_(stepped.tensors),
        units_(units_by_decay(spec, stepped)),
        stepped_(at::zeros({static_cast<std::int64_t>(parameters_.size())}, at::kByte)) {
    if (spec_.momentum == 0) return;
    for (const at::Tensor& parameter : parameters_) velocity_.push_back(at::zeros_like(parameter));
  }

  void step(double learning_rate) override {
    const at::NoGradGuard no_grad;
    for (const bool decays : {true, false}) {
      for (const bool first : {false, true}) {
        if (gather(first, decays)) step_gathered(learning_rate, first, decays);
      }
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].grad().defined()) stepped_.data_ptr<std::uint8_t>()[i] = 1;
    }
  }

  bool step_recordable(const at::Tensor& learning_rate) override {
    const at::NoGradGuard no_grad;
    const auto* const stepped = stepped_.const_data_ptr<std::uint8_t>();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const bool is_first = parameters_[i].grad().defined() && stepped[i] == 0;
      if (is_first || parameters_[i].scalar_type() != at::kFloat) return false;
    }
    for (const bool decays : {true, false}) {
      if (gather(/*first=*/false, decays)) step_gathered(learning_rate, false, decays);
    }
    return true;
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
  /// Collects the tensors that have a gradient, whose next step is or is not their first (`first`),
  /// and whose decay flag equals `decays`. Skips parameters without a gradient. The loss does not
  /// depend on such parameters, so they keep their values. Returns true when any tensor was
  /// collected.
  bool gather(bool first, bool decays) {
    chosen_.clear();
    gradients_.clear();
    chosen_velocity_.clear();
    const auto* const stepped = stepped_.const_data_ptr<std::uint8_t>();
    for (const StepUnit& unit : units_) {
      const at::Tensor& parameter = unit.in(parameters_);
      const bool is_first = stepped[unit.piece.tensor] == 0;
      if (is_first != first || unit.decays != decays || !parameter.grad().defined()) continue;
      chosen_.push_back(unit.row_of(parameter, parameter));
      gradients_.push_back(unit.row_of(parameter.grad(), parameter));
      if (velocity_.empty()) continue;
      chosen_velocity_.push_back(unit.row_of(unit.in(velocity_), parameter));
    }
    return !chosen_.empty();
  }

  /// Runs the fused kernel on the collected tensors. Rate is double or at::Tensor.
  template <class Rate>
  void step_gathered(const Rate& learning_rate, bool first, bool decays) {
    at::_fused_sgd_(chosen_, gradients_, chosen_velocity_, decays ? spec_.weight_decay : 0,
                    spec_.momentum, learning_rate, spec_.dampening, spec_.nesterov,
                    /*maximize=*/false, first);
  }

  contract::OptimizerSpec spec_;
  std::vector<at::Tensor> parameters_;
  std::vector<StepUnit> units_;
  at::Tensor stepped_;  ///< value 1 for each parameter after its first step
  std::vector<at::Tensor> velocity_;
  // The lists are members to avoid allocations in each step.
  std::vector<at::Tensor> chosen_, gradients_, chosen_velocity_;
};

std::unique_ptr<Optimizer> make_sgd(const contract::OptimizerSpec& spec, const Stepped& stepped) {
  return std::make_unique<Sgd>(spec, stepped);
}

}  // namespace

extern const OptimizerEntry sgd_entry;
const OptimizerEntry sgd_entry{"sgd", "SGD with momentum, Nesterov and weight decay", make_sgd};

}  // namespace dlscale::trainer
