// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/stage.hpp"

#include <torch/types.h>

namespace dlscale::trainer {

at::Tensor Stage::run(const at::Tensor& input) {
  at::Tensor value = input;
  for (std::size_t i = first_; i < last_; ++i) value = model_.forward_block(i, value);
  return value;
}

at::Tensor Stage::stash(int micro_batch, const at::Tensor& input, const at::Tensor& result) {
  stash_[micro_batch] = {input, result};
  return result.detach();
}

at::Tensor Stage::forward(int micro_batch, const at::Tensor& input) {
  return stash(micro_batch, input, run(input));
}

at::Tensor Stage::backward(int micro_batch, const at::Tensor& output_gradient) {
  const Passed passed = std::move(stash_.extract(micro_batch).mapped());
  passed.result.backward(output_gradient);
  return passed.input.grad();
}

}  // namespace dlscale::trainer
