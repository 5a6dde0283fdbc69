// SPDX-License-Identifier: Apache-2.0
// LARS (layer-wise adaptive rate scaling) optimizer.
//
// Source: You, Gitman, Ginsburg, Large Batch Training of Convolutional Networks, 2017, algorithm 1.
// A step updates the weights w of a layer with the gradient g, the velocity v, the learning rate
// lr, the momentum mu and the weight decay wd:
//   l = trust |w| / (|g| + wd |w| + epsilon)
//   v = mu v + lr l (g + wd w)
//   w -= v
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/optim/step_unit.hpp"

namespace dlscale::trainer {
namespace {

/// LARS optimizer. The local learning rate l is 1 for parameters with one dimension, which are
/// biases and parameters of norm layers. l is also 1 for parameters whose values or gradients are
/// all 0.
class Lars : public Optimizer {
 public:
  Lars(const contract::OptimizerSpec& spec, const Stepped& stepped)
      : spec_(spec),
        parameters_(stepped.tensors),
        units_(units_by_parameter(spec, stepped)),
        sum_(stepped.sum) {
    for (const at::Tensor& parameter : parameters_) velocity_.push_back(at::zeros_like(parameter));
    for (const StepUnit& unit : units_) {
      count_ = std::max(count_, unit.piece.parameter + 1);
    }
  }

  void step(double learning_rate) override {
    const at::NoGradGuard no_grad;
    const std::vector<double> squares = squared_norms();
    for (const StepUnit& unit : units_) {
      const at::Tensor& parameter = unit.in(parameters_);
      if (unit.piece.count == 0 || !parameter.grad().defined()) continue;
      const double decay = unit.decays ? spec_.weight_decay : 0;
      const double adapted = unit.piece.is_weight
                                 ? ratio(std::sqrt(squares[2 * unit.piece.parameter]),
                                         std::sqrt(squares[2 * unit.piece.parameter + 1]), decay)
                                 : 1;
      const at::Tensor weights = unit.of(parameter);
      const at::Tensor velocity = unit.of(unit.in(velocity_));
      velocity.mul_(spec_.momentum)
          .add_(unit.of(parameter.grad()).add(weights, decay), learning_rate * adapted);
      weights.sub_(velocity);
    }
  }

  std::vector<NamedTensor> state() override {
    std::vector<NamedTensor> all;
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
      all.push_back({"velocity_" + std::to_string(i), velocity_[i]});
    }
    return all;
  }

 private:
  double ratio(double weight, double gradient, double decay) const {
    if (weight == 0 || gradient == 0) return 1;
    return spec_.lars.trust_coefficient * weight / (gradient + decay * weight + spec_.lars.epsilon);
  }

  /// **Collective.** Returns |w|^2 and |g|^2 of each parameter, which are needed for the local
  /// learning rate. The values are summed over all ranks that hold pieces of the parameter. For
  /// parameters with one dimension, which need no norms, the values are 0.
  std::vector<double> squared_norms() const {
    std::vector<at::Tensor> tensors;
    std::vector<std::size_t> places;
    for (const StepUnit& unit : units_) {
      const at::Tensor& parameter = unit.in(parameters_);
      const bool has_norms =
          unit.piece.is_weight && unit.piece.count > 0 && parameter.grad().defined();
      if (!has_norms) continue;
      tensors.push_back(unit.of(parameter));
      places.push_back(2 * unit.piece.parameter);
      tensors.push_back(unit.of(parameter.grad()));
      places.push_back(2 * unit.piece.parameter + 1);
    }
    std::vector<double> squares(2 * count_, 0.0);
    if (!tensors.empty()) {
      // A single copy transfers all norms from the device to the host.
      const at::Tensor norms = at::stack(at::_foreach_norm(tensors, 2)).to(at::kCPU, at::kDouble);
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double norm = norms.const_data_ptr<double>()[i];
        squares[places[i]] += norm * norm;
      }
    }
    if (sum_) sum_(squares);
    return squares;
  }

  contract::OptimizerSpec spec_;
  std::vector<at::Tensor> parameters_;
  std::vector<StepUnit> units_;
  std::function<void(std::vector<double>&)> sum_;
  std::vector<at::Tensor> velocity_;
  std::size_t count_ = 0;  ///< number of parameters of the model
};

std::unique_ptr<Optimizer> make_lars(const contract::OptimizerSpec& spec, const Stepped& stepped) {
  return std::make_unique<Lars>(spec, stepped);
}

}  // namespace

extern const OptimizerEntry lars_entry;
const OptimizerEntry lars_entry{"lars", "LARS: a separate learning rate for each weight tensor",
                                make_lars};

}  // namespace dlscale::trainer
