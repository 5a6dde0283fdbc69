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

std::int64_t parameter_count(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

}  // namespace dlscale::trainer
