// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/sync/zero_check.hpp"

#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <algorithm>

#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::test {
namespace {

std::int64_t count_gradients(const std::vector<at::Tensor>& parameters) {
  return std::count_if(parameters.begin(), parameters.end(),
                       [](const at::Tensor& parameter) { return parameter.grad().defined(); });
}

}  // namespace

ZeroSeen look_at_zero(const std::vector<std::int64_t>& widths, int stage,
                      trainer::Communicator& communicator) {
  const base::SystemClock clock;
  trainer::CollectiveQueue queue(communicator, clock);
  std::vector<at::Tensor> parameters;
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    parameters.push_back(at::full({widths[i + 1], widths[i]}, 0.1, at::kDouble));
    parameters.push_back(at::full({widths[i + 1]}, 0.1, at::kDouble));
  }
  ZeroSeen seen{.tensors = static_cast<std::int64_t>(parameters.size())};
  for (at::Tensor& parameter : parameters) {
    parameter.set_requires_grad(true);
    names.push_back(std::to_string(names.size()));
    seen.parameters += parameter.numel();
  }
  contract::FrameworkOptions options;
  options.zero_stage = stage;
  options.reduce_bucket_elements = 1;  // each gradient goes as soon as it is there
  const auto sync = base::find<trainer::SyncEntry>(trainer::sync_table(), "framework", "deepspeed")
                        .make({parameters, names, options, queue, clock});
  const auto optimized = sync->optimized();
  for (const at::Tensor& tensor : optimized.tensors) seen.optimized_elements += tensor.numel();

  const std::int64_t bytes_before = queue.stats().bytes;
  sync->before_forward(true);
  at::Tensor x = at::ones({2, widths.front()}, at::kDouble);
  for (std::size_t i = 0; i < parameters.size(); i += 2) {
    x = at::linear(x, parameters[i], parameters[i + 1]);
    x.register_hook([&](const at::Tensor&) {
      seen.gradients_in_backward =
          std::max(seen.gradients_in_backward, count_gradients(parameters));
    });
  }
  sync->before_backward(x);
  x.sum().backward();
  seen.gradients_in_backward = std::max(seen.gradients_in_backward, count_gradients(parameters));
  sync->after_backward();
  seen.gradients_after_backward = count_gradients(parameters);
  torch::optim::SGD(optimized.tensors, torch::optim::SGDOptions(0.1).weight_decay(0.1)).step();
  sync->after_step();
  seen.bytes = queue.stats().bytes - bytes_before;
  const std::int64_t padding = seen.optimized_elements * queue.size() - seen.parameters;
  const at::Tensor& partition = optimized.tensors.front();
  seen.padding_is_zero =
      partition.detach().narrow(0, partition.numel() - padding, padding).eq(0).all().item<bool>();
  return seen;
}

}  // namespace dlscale::test
