// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent as PyTorch defines it.
//
// A step updates a parameter p with the gradient g, the velocity v, the learning rate lr, the
// momentum mu and the weight decay wd:
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
  /// Collects the tensors for one call of the fused kernel. If `first` is true, collects only
  /// tensors that no step has updated yet. If `first` is false, collects only the other tensors. If
  /// `decays` is true, collects only tensors with weight decay. If `decays` is false, collects only
  /// tensors without weight decay. Skips parameters without a gradient: the loss does not depend on
  /// such a parameter, so the parameter keeps its value. Returns true when any tensor was
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

  /// Updates the collected tensors with LibTorch's fused kernel. The type Rate is double or
  /// at::Tensor.
  template <class Rate>
  void step_gathered(const Rate& learning_rate, bool first, bool decays) {
    at::_fused_sgd_(chosen_, gradients_, chosen_velocity_, decays ? spec_.weight_decay : 0,
                    spec_.momentum, learning_rate, spec_.dampening, spec_.nesterov,
                    /*maximize=*/false, first);
  }

  contract::OptimizerSpec spec_;
  std::vector<at::Tensor> parameters_;
  std::vector<StepUnit> units_;
  at::Tensor stepped_;  ///< one value per parameter: 0 before its first step, then 1
  std::vector<at::Tensor> velocity_;
  // These lists are members instead of local variables, so that a step need not allocate their
  // memory again.
  std::vector<at::Tensor> chosen_, gradients_, chosen_velocity_;
};

std::unique_ptr<Optimizer> make_sgd(const contract::OptimizerSpec& spec, const Stepped& stepped) {
  return std::make_unique<Sgd>(spec, stepped);
}

}  // namespace

extern const OptimizerEntry sgd_entry;
const OptimizerEntry sgd_entry{"sgd", "SGD with momentum, Nesterov and weight decay", make_sgd};

}  // namespace dlscale::trainer
