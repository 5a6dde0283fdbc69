// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/sync/zero_check.hpp"

#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <algorithm>

#include "tests/trainer/block_model.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::test {
namespace {

std::int64_t count_gradients(const std::vector<at::Tensor>& parameters) {
  return std::count_if(parameters.begin(), parameters.end(),
                       [](const at::Tensor& parameter) { return parameter.grad().defined(); });
}

}  // namespace

std::unique_ptr<trainer::GradientSync> zero_of(trainer::Model& model,
                                               const contract::FrameworkOptions& options,
                                               trainer::CollectiveQueue& queue,
                                               const base::Clock& clock) {
  return base::find<trainer::SyncEntry>(trainer::sync_table(), "framework", "deepspeed")
      .make({.parameters = model.parameters(),
             .parameter_names = model.parameter_names(),
             .options = options,
             .queue = queue,
             .clock = clock,
             .model = &model});
}

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
  options.reduce_bucket_elements = 1;  // each gradient is sent as soon as it is ready
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

std::vector<double> learn_in_turns(const contract::FrameworkOptions& options,
                                   trainer::Communicator& communicator) {
  const base::SystemClock clock;
  trainer::CollectiveQueue queue(communicator, clock);
  BlockModel model;
  for (int i = 0; i < 6; ++i) {
    const bool used = i % queue.size() == queue.rank();
    model.add(at::ones({4}, at::kDouble),
              [i, used](const at::Tensor& input, const at::Tensor& parameter) {
                return used ? input + (i + 1) * parameter.sum() : input + 0;
              });
  }
  const auto sync = zero_of(model, options, queue, clock);
  for (const bool is_last : {false, true}) {
    sync->before_forward(is_last);
    const at::Tensor output = model.forward(at::zeros({1}, at::kDouble).set_requires_grad(true));
    sync->before_backward(output);
    (output.sum() / 2).backward();
  }
  sync->after_backward();
  torch::optim::SGD(sync->optimized().tensors, torch::optim::SGDOptions(1)).step();
  sync->after_step();
  sync->gather_parameters();
  std::vector<double> learnt;
  for (const at::Tensor& parameter : model.parameters()) {
    learnt.push_back(parameter.detach()[0].item<double>());
  }
  return learnt;
}

}  // namespace dlscale::test
