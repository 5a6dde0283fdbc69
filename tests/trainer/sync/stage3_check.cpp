// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/sync/stage3_check.hpp"

#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <algorithm>

#include "tests/trainer/block_model.hpp"
#include "tests/trainer/sync/tensor_bytes.hpp"
#include "tests/trainer/sync/zero_check.hpp"

namespace dlscale::test {
namespace {

int whole_blocks(const std::vector<at::Tensor>& parameters) {
  return static_cast<int>(
      std::count_if(parameters.begin(), parameters.end(),
                    [](const at::Tensor& parameter) { return parameter.storage().nbytes() > 0; }));
}

std::int64_t momentum_bytes(const torch::optim::SGD& optimizer) {
  std::int64_t sum = 0;
  for (const auto& [key, state] : optimizer.state()) {
    const auto& of_sgd = static_cast<const torch::optim::SGDParamState&>(*state);
    sum += static_cast<std::int64_t>(of_sgd.momentum_buffer().nbytes());
  }
  return sum;
}

std::vector<at::Tensor> joined(std::vector<at::Tensor> a, const std::vector<at::Tensor>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

BlocksSeen look_at_blocks(const contract::FrameworkOptions& options, int micro_batches,
                          trainer::Communicator& communicator) {
  const base::SystemClock clock;
  trainer::CollectiveQueue queue(communicator, clock);
  const LiveBytes live(queue);
  BlocksSeen seen;
  BlockModel model;
  const auto look = [&](int& most) { most = std::max(most, whole_blocks(model.parameters())); };
  for (int i = 0; i < kBlocks; ++i) {
    model.add(at::full({kBlockSide, kBlockSide}, 0.01, at::kDouble),
              [&](const at::Tensor& input, const at::Tensor& parameter) {
                look(seen.most_whole_in_forward);
                input.register_hook([&](const at::Tensor&) { look(seen.most_whole_in_backward); });
                return at::mm(input, parameter);
              });
  }
  const auto sync = zero_of(model, options, queue, clock);
  const auto optimized = sync->optimized().tensors;
  torch::optim::SGD optimizer(optimized, torch::optim::SGDOptions(0.1).momentum(0.9));
  for (int step = 0; step < 2; ++step) {
    const std::int64_t before = queue.stats().bytes;
    live.take_most();
    for (int i = 0; i < micro_batches; ++i) {
      sync->before_forward(i + 1 == micro_batches);
      const at::Tensor output =
          model.forward(at::ones({1, kBlockSide}, at::kDouble).set_requires_grad(true));
      sync->before_backward(output);
      output.sum().backward();
    }
    queue.barrier()->wait();
    seen.bytes_behind_backward = live.now();
    sync->after_backward();
    seen.gradient_bytes =
        storage_bytes(joined(gradients_of(optimized), gradients_of(model.parameters())));
    optimizer.step();
    for (const at::Tensor& parameter : model.parameters()) parameter.mutable_grad().reset();
    sync->after_step();
    seen.step_bytes = queue.stats().bytes - before;
    seen.most_bytes = live.take_most();
  }
  seen.parameter_bytes = storage_bytes(joined(optimized, model.parameters()));
  seen.optimizer_bytes = momentum_bytes(optimizer);
  return seen;
}

}  // namespace dlscale::test
