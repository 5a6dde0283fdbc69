// SPDX-License-Identifier: Apache-2.0
// A stretch of a model on one rank, and what it stashes between forward and backward.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <map>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

class Stage {
 public:
  /// The blocks [first, last) of a model.
  Stage(Model& model, std::size_t first, std::size_t last)
      : model_(model), first_(first), last_(last) {}

  /// The output of a micro-batch, detached; what its backward pass needs is stashed.
  at::Tensor forward(int micro_batch, const at::Tensor& input);
  /// What backward() begins with instead of the output, of the last stage: a loss made of it.
  /// `make_loss` gets the output with its graph.
  template <class MakeLoss>
  at::Tensor forward_to_loss(int micro_batch, const at::Tensor& input, const MakeLoss& make_loss) {
    return stash(micro_batch, input, make_loss(run(input)));
  }
  /// Adds to the parameters' gradients; returns the gradient of the input, undefined where the
  /// input asked for none. `output_gradient` is undefined for a loss.
  at::Tensor backward(int micro_batch, const at::Tensor& output_gradient);
  /// Without gradients.
  at::Tensor predict(const at::Tensor& input) { return run(input); }

 private:
  struct Passed {
    at::Tensor input, result;
  };
  at::Tensor run(const at::Tensor& input);
  at::Tensor stash(int micro_batch, const at::Tensor& input, const at::Tensor& result);

  Model& model_;
  std::size_t first_, last_;
  std::map<int, Passed> stash_;
};

}  // namespace dlscale::trainer
