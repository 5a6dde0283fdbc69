// SPDX-License-Identifier: Apache-2.0
// A small network in double precision that one rank or several ranks train.
#include "tests/trainer/sync/replica.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <set>
#include <string>

#include "trainer/comm/collective_queue.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::test {
namespace {

using trainer::GradientSync;

/// Returns random numbers that depend only on the seed. The global generator is unsuitable, because
/// ranks that are threads would share it.
at::Tensor numbers(std::vector<std::int64_t> shape, std::uint64_t seed) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(seed), at::kDouble);
}

class Network {
 public:
  Network(const Training& training, std::uint64_t seed) : bias_(training.bias) {
    for (std::size_t i = 0; i + 1 < training.widths.size(); ++i) {
      const std::int64_t in = training.widths[i];
      const std::int64_t out = training.widths[i + 1];
      add("weight", numbers({out, in}, seed + 2 * i) / std::sqrt(static_cast<double>(in)));
      if (bias_) add("bias", numbers({out}, seed + 2 * i + 1));
    }
    if (training.unused_parameter) add("unused", numbers({3}, seed + 1000));
    layers_ = training.widths.size() - 1;
  }

  at::Tensor forward(at::Tensor x, const std::function<void()>& late_in_backward) const {
    const std::size_t stride = bias_ ? 2 : 1;
    for (std::size_t i = 0; i < layers_; ++i) {
      const at::Tensor bias = bias_ ? parameters[stride * i + 1] : at::Tensor();
      x = at::linear(x, parameters[stride * i], bias);
      if (i == 0) {
        x.register_hook([late_in_backward](const at::Tensor&) { late_in_backward(); });
      }
      if (i + 1 < layers_) x = at::tanh(x);
    }
    return x;
  }

  std::vector<double> flattened() const {
    std::vector<double> result;
    for (const at::Tensor& parameter : parameters) {
      const auto* data = parameter.data_ptr<double>();
      result.insert(result.end(), data, data + parameter.numel());
    }
    return result;
  }

  std::vector<at::Tensor> parameters;
  std::vector<std::string> names;

 private:
  void add(const std::string& name, const at::Tensor& tensor) {
    parameters.push_back(tensor.detach().set_requires_grad(true));
    names.push_back(name + std::to_string(names.size()));
  }
  bool bias_;
  std::size_t layers_ = 0;
};

/// Batch of the ranks [first, first + count) in one step.
struct Batch {
  Batch(const Training& training, int step, int first, int count) {
    std::vector<at::Tensor> xs;
    std::vector<at::Tensor> ys;
    for (int rank = first; rank < first + count; ++rank) {
      const auto seed = static_cast<std::uint64_t>(10000 + 100 * step + 2 * rank);
      xs.push_back(numbers({training.batch_per_rank, training.widths.front()}, seed));
      ys.push_back(numbers({training.batch_per_rank, training.widths.back()}, seed + 1));
    }
    x = at::cat(xs);
    y = at::cat(ys);
  }
  at::Tensor x, y;
};

std::size_t memories_of_gradients(const std::vector<at::Tensor>& parameters) {
  std::set<const void*> memories;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) memories.insert(parameter.grad().storage().data());
  }
  return memories.size();
}

void train(const Training& training, Network& network, GradientSync& sync, int first, int count) {
  torch::optim::SGD optimizer(
      sync.optimized().tensors,
      torch::optim::SGDOptions(0.05).momentum(0.9).weight_decay(training.weight_decay));
  for (int step = 0; step < training.steps; ++step) {
    training.before_step(step);
    const Batch batch(training, step, first, count);
    sync.before_forward(true);
    const at::Tensor output =
        network.forward(batch.x, [&training, step] { training.late_in_backward(step); });
    const at::Tensor loss = at::mse_loss(output, batch.y);
    sync.before_backward(output);
    loss.backward();
    sync.after_backward();
    training.after_backward(memories_of_gradients(network.parameters));
    optimizer.step();
    for (at::Tensor& parameter : network.parameters) parameter.mutable_grad().reset();
    sync.after_step();
    training.after_step(step, sync.exposed_comm_s());
  }
}

class NoSync : public GradientSync {
 public:
  explicit NoSync(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {}
  void after_backward() override {}
  trainer::Optimized optimized() override { return {parameters_}; }
  double exposed_comm_s() const override { return 0; }

 private:
  std::vector<at::Tensor> parameters_;
};

}  // namespace

std::vector<double> train_alone(const Training& training, int ranks) {
  Network network(training, 0);
  NoSync sync(network.parameters);
  train(training, network, sync, 0, ranks);
  return network.flattened();
}

std::vector<double> train_replica(const Training& training, const trainer::SyncEntry& entry,
                                  trainer::Communicator& communicator) {
  const base::SystemClock clock;
  trainer::CollectiveQueue queue(communicator, clock);
  Network network(training, static_cast<std::uint64_t>(communicator.rank()));
  {
    const at::NoGradGuard no_grad;
    trainer::broadcast_from_root(network.parameters, queue);
  }
  const auto sync = entry.make({.parameters = network.parameters,
                                .parameter_names = network.names,
                                .options = training.options,
                                .queue = queue,
                                .clock = clock});
  train(training, network, *sync, communicator.rank(), 1);
  return network.flattened();
}

}  // namespace dlscale::test
