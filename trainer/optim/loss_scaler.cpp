// SPDX-License-Identifier: Apache-2.0
// Dynamic loss scaling, which keeps 16-bit gradients from underflowing to zero.
#include "trainer/optim/loss_scaler.hpp"

#include <torch/types.h>

#include <cmath>

#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::trainer {
namespace {

constexpr double kFirstScale = 65536;
constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;
constexpr double kStepsToGrow = 2000;

}  // namespace

LossScaler::LossScaler() : state_(at::zeros({2}, at::kDouble)) {
  state_[0].fill_(kFirstScale);
}

double LossScaler::scale() const {
  return *state_.const_data_ptr<double>();
}

at::Tensor LossScaler::loss_gradient(const at::Tensor& loss) const {
  return at::full_like(loss, scale());
}

bool LossScaler::unscale(const std::vector<at::Tensor>& tensors) const {
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.grad().defined()) gradients.push_back(tensor.grad());
  }
  if (gradients.empty()) return true;
  const auto options = gradients.front().options().dtype(at::kFloat);
  at::Tensor overflowed = at::zeros({1}, options);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, overflowed,
                                                 at::full({1}, 1 / scale(), options));
  return overflowed.item<float>() == 0;
}

void LossScaler::update(bool finite) {
  double* const state = state_.data_ptr<double>();
  double& scale = state[0];
  double& steps = state[1];
  if (!finite) {
    ++skipped_;
    scale *= kBackoff;
    steps = 0;
  } else if (++steps == kStepsToGrow) {
    if (std::isfinite(static_cast<float>(scale * kGrowth))) scale *= kGrowth;
    steps = 0;
  }
}

std::vector<NamedTensor> LossScaler::state() {
  return {{"loss_scale", state_}};
}

}  // namespace dlscale::trainer
