// SPDX-License-Identifier: Apache-2.0
#include <torch/nn/modules/batchnorm.h>

#include "trainer/models/batch_norm.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "trainer/comm/thread.hpp"
#include "trainer/parallel/rank_group.hpp"

using namespace dlscale;
using trainer::BatchNorm2d;

namespace {

constexpr std::int64_t kChannels = 3;

template <class Norm>
void prepare(Norm& norm, at::ScalarType type) {
  norm->to(torch::kCPU, type);
  const at::NoGradGuard no_gradients;
  norm->weight.copy_(torch::arange(kChannels) * 0.5 + 0.5);
  norm->bias.copy_(torch::arange(kChannels) * -0.25);
}

/// Results of a batch norm for a batch, and of its backward pass.
struct Passed {
  at::Tensor output, input_gradient, weight_gradient, bias_gradient, mean, variance, batches;
};

template <class Norm>
Passed pass(Norm& norm, const at::Tensor& input, const at::Tensor& gradient) {
  const at::Tensor leaf = input.detach().clone().set_requires_grad(true);
  const at::Tensor output = norm->forward(leaf);
  output.backward(gradient);
  return {output.detach(),    leaf.grad(),       norm->weight.grad(),      norm->bias.grad(),
          norm->running_mean, norm->running_var, norm->num_batches_tracked};
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  REQUIRE(a.sizes() == b.sizes());
  return a.numel() == 0 ? 0 : (a - b).abs().max().item<double>();
}

/// Runs the batch norm on ranks that each have the given number of samples of a common batch.
std::vector<Passed> pass_on_ranks(const std::vector<std::int64_t>& samples, const at::Tensor& input,
                                  const at::Tensor& gradient) {
  std::vector<Passed> results(samples.size());
  trainer::run_as_threads(
      static_cast<int>(samples.size()), [&](trainer::Communicator& communicator) {
        base::SystemClock clock;
        trainer::CollectiveQueue queue(communicator, clock);
        trainer::RankStatistics statistics(queue, 0, clock);
        BatchNorm2d norm(kChannels, &statistics);
        prepare(norm, input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
        const auto rank = static_cast<std::size_t>(queue.rank());
        const auto first = std::accumulate(samples.begin(), samples.begin() + queue.rank(), 0L);
        results[rank] = pass(norm, input.narrow(0, first, samples[rank]),
                             gradient.narrow(0, first, samples[rank]));
      });
  return results;
}

}  // namespace

TEST_CASE("a local batch norm equals torch's and counts batches as integers") {
  BatchNorm2d norm(kChannels);
  torch::nn::BatchNorm2d theirs(kChannels);
  prepare(norm, torch::kDouble);
  prepare(theirs, torch::kDouble);
  const at::Tensor input = torch::randn({4, kChannels, 3, 2}, torch::kDouble);
  const auto mine = pass(norm, input, input), expected = pass(theirs, input, input);
  CHECK(torch::equal(mine.output, expected.output));
  CHECK(torch::equal(mine.input_gradient, expected.input_gradient));
  CHECK(mine.batches.scalar_type() == torch::kLong);
  CHECK(mine.batches.item<std::int64_t>() == 1);
  CHECK(norm->named_buffers().keys() == theirs->named_buffers().keys());
}

TEST_CASE("synchronised batch norms of several ranks equal one batch norm over all samples") {
  for (const std::vector<std::int64_t>& samples :
       {std::vector<std::int64_t>{4, 4}, {1, 6, 1}, {3, 0, 4, 1}}) {
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      const at::Tensor input =
          (torch::randn({8, kChannels, 4, 5}, torch::kDouble) * 3 + 10).contiguous(format);
      const at::Tensor gradient = torch::randn({8, kChannels, 4, 5}, torch::kDouble);
      torch::nn::BatchNorm2d whole(kChannels);
      prepare(whole, torch::kDouble);
      const auto expected = pass(whole, input, gradient);
      at::Tensor weight_gradient = torch::zeros_like(expected.weight_gradient);
      at::Tensor bias_gradient = torch::zeros_like(expected.bias_gradient);
      std::vector<at::Tensor> outputs, input_gradients;
      for (const Passed& rank : pass_on_ranks(samples, input, gradient)) {
        outputs.push_back(rank.output);
        input_gradients.push_back(rank.input_gradient);
        weight_gradient += rank.weight_gradient;
        bias_gradient += rank.bias_gradient;
        CHECK(difference(rank.mean, expected.mean) < 1e-12);
        CHECK(difference(rank.variance, expected.variance) < 1e-12);
      }
      CHECK(difference(torch::cat(outputs), expected.output) < 1e-12);
      CHECK(difference(torch::cat(input_gradients), expected.input_gradient) < 1e-12);
      CHECK(difference(weight_gradient, expected.weight_gradient) < 1e-11);
      CHECK(difference(bias_gradient, expected.bias_gradient) < 1e-11);
    }
  }
}

TEST_CASE("the statistics of large fp32 values do not suffer from cancellation") {
  const at::Tensor input = torch::randn({8, kChannels, 4, 5}) + 3000;
  const auto ranks = pass_on_ranks({2, 6}, input, torch::randn_like(input));
  torch::nn::BatchNorm2d whole(kChannels);
  prepare(whole, torch::kDouble);
  const auto expected = pass(whole, input.to(torch::kDouble), input.to(torch::kDouble));
  CHECK(difference(ranks[0].variance.to(torch::kDouble), expected.variance) < 1e-3);
  CHECK(difference(torch::cat({ranks[0].output, ranks[1].output}).to(torch::kDouble),
                   expected.output) < 1e-2);
}

TEST_CASE("synchronised batch norms accept 16-bit images with fp32 parameters") {
  const at::Tensor input = (torch::randn({8, kChannels, 4, 5}) + 1).to(torch::kBFloat16);
  const at::Tensor gradient = torch::randn({8, kChannels, 4, 5}).to(torch::kBFloat16);
  torch::nn::BatchNorm2d whole(kChannels);
  prepare(whole, torch::kFloat);
  const auto expected = pass(whole, input, gradient);
  const auto ranks = pass_on_ranks({3, 5}, input, gradient);
  CHECK(ranks[0].output.scalar_type() == torch::kBFloat16);
  CHECK(ranks[0].weight_gradient.scalar_type() == torch::kFloat);
  CHECK(difference(ranks[1].mean, expected.mean) < 1e-6);
  CHECK(difference(ranks[1].output, expected.output.narrow(0, 3, 5)) < 0.02);
  CHECK(difference(ranks[1].input_gradient, expected.input_gradient.narrow(0, 3, 5)) < 0.04);
}

TEST_CASE("a synchronised batch norm does not communicate in evaluation") {
  struct Nobody final : trainer::StatisticsSum {
    void sum(const at::Tensor&, Pass) override { FAIL("asked"); }
  } nobody;
  BatchNorm2d norm(kChannels, &nobody);
  norm->eval();
  const at::Tensor input = torch::randn({2, kChannels, 4, 4});
  CHECK(difference(norm(input), input) < 1e-4);
}
