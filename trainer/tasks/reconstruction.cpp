// SPDX-License-Identifier: Apache-2.0
// Reconstruction task, in which a model reproduces its input. The loss is the mean squared error
// over all normalised values.
#include <torch/types.h>

#include "trainer/tasks/task.hpp"

namespace dlscale::trainer {
namespace {

at::Tensor reconstruction_loss(const at::Tensor& output, const at::Tensor& target, double) {
  const bool is_small = output.scalar_type() == at::kHalf || output.scalar_type() == at::kBFloat16;
  return at::mse_loss(is_small ? output.to(at::kFloat) : output, target);
}

std::vector<double> count_reconstruction(const at::Tensor& output, const at::Tensor& target) {
  const at::Tensor squares = (output - target).square().flatten(1);
  return {squares.mean(1).sum(at::kDouble).item<double>()};
}

void conclude_reconstruction(const std::vector<double>& sums, contract::EvalRecord& record) {
  record.loss = sums[0] / static_cast<double>(record.samples);
  record.metrics["mse"] = record.loss;
}

}  // namespace

extern const TaskEntry reconstruction_entry;
const TaskEntry reconstruction_entry{.name = "reconstruction",
                                     .summary = "reproduces the input of the model as its output",
                                     .loss = reconstruction_loss,
                                     .count = count_reconstruction,
                                     .counts = 1,
                                     .conclude = conclude_reconstruction,
                                     .headline = "mse",
                                     .smooths_labels = false,
                                     .target_is_input = true};

}  // namespace dlscale::trainer
