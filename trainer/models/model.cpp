// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.hpp"

#include "trainer/models/module_model.hpp"

namespace dlscale::trainer {

std::unique_lock<std::mutex> start_drawing(std::uint64_t seed) {
  static std::mutex generator;
  std::unique_lock lock(generator);
  torch::manual_seed(seed);
  return lock;
}

at::Tensor Model::forward(const at::Tensor& input) {
  at::Tensor value = input;
  for (std::size_t i = 0; i < blocks().size(); ++i) {
    if (watch_ != nullptr) watch_->before_block(i);
    value = forward_block(i, value);
    if (watch_ != nullptr) watch_->after_block(i, value);
  }
  return value;
}

std::int64_t parameter_count(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

}  // namespace dlscale::trainer
