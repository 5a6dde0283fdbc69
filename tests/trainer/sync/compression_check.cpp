// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/sync/compression_check.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/sync/gradient_sync.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::test {
namespace {

constexpr std::int64_t kRows = 24, kColumns = 16;

at::Tensor gradient_of(int number, int rank_of_gradient) {
  const auto random = at::make_generator<at::CPUGeneratorImpl>(100 + number);
  return at::mm(at::randn({kRows, rank_of_gradient}, random, at::kDouble),
                at::randn({rank_of_gradient, kColumns}, random, at::kDouble));
}

at::Tensor mean_of(const at::Tensor& mine, trainer::CollectiveQueue& queue) {
  const at::Tensor mean = mine.detach().clone();
  queue.all_reduce(trainer::span_of(mean), trainer::ReduceOp::sum)->wait();
  return mean.div_(queue.size());
}

double largest(const at::Tensor& tensor) {
  return tensor.abs().max().item<double>();
}

/// A rank with one parameter and a ddp for the parameter.
struct Rank {
  Rank(const contract::FrameworkOptions& options, trainer::Communicator& communicator)
      : queue(communicator, clock),
        sync(base::find<trainer::SyncEntry>(trainer::sync_table(), "framework", "ddp")
                 .make({.parameters = parameters,
                        .parameter_names = names,
                        .options = options,
                        .queue = queue,
                        .clock = clock})) {}
  /// Returns the gradient at the end of a step in which this rank has the gradient `given`.
  at::Tensor step(const at::Tensor& given) {
    sync->before_forward(true);
    const at::Tensor loss = (parameters[0] * given).sum();
    sync->before_backward(loss);
    loss.backward();
    sync->after_backward();
    const at::Tensor mean = parameters[0].grad().clone();
    parameters[0].mutable_grad().reset();
    return mean;
  }

  const base::SystemClock clock;
  trainer::CollectiveQueue queue;
  const std::vector<at::Tensor> parameters{
      at::zeros({kRows, kColumns}, at::kDouble).set_requires_grad(true)};
  const std::vector<std::string> names{"weight"};
  std::unique_ptr<trainer::GradientSync> sync;
};

}  // namespace

PowerSgdSeen look_at_powersgd(int steps, int rank, int rank_of_gradient,
                              trainer::Communicator& communicator) {
  contract::FrameworkOptions options;
  options.compression = "powersgd";
  options.powersgd_rank = rank;
  options.powersgd_start_step = 0;
  Rank mine(options, communicator);
  const at::Tensor given = gradient_of(communicator.rank(), rank_of_gradient);
  const at::Tensor exact = mean_of(given, mine.queue);
  const at::Tensor sum = at::zeros_like(given);
  PowerSgdSeen seen;
  for (int step = 0; step < steps; ++step) {
    const at::Tensor mean = mine.step(given);
    sum.add_(mean);
    seen.from_mean = largest(mean - exact);
  }
  const auto state = mine.sync->state();
  seen.states = static_cast<std::int64_t>(state.size());
  const at::Tensor error = state.at(1).tensor.view({kRows, kColumns});
  seen.lost = largest(error);
  seen.unaccounted = largest(sum + mean_of(error, mine.queue) - exact * steps);
  return seen;
}

double error_in_16_bits(const std::string& compression, trainer::Communicator& communicator) {
  contract::FrameworkOptions options;
  options.compression = compression;
  Rank mine(options, communicator);
  const at::Tensor given = gradient_of(communicator.rank(), kColumns);
  const at::Tensor error = mine.step(given) - mean_of(given, mine.queue);
  return largest(error / mean_of(given.abs(), mine.queue));
}

}  // namespace dlscale::test
