// SPDX-License-Identifier: Apache-2.0
#include <torch/nn/modules/batchnorm.h>

#include "trainer/kernels/fused_norm.hpp"

#include <catch2/catch.hpp>

#include "trainer/models/batch_norm.hpp"

using namespace dlscale;
using trainer::BatchNorm2d;

namespace {

/// Results of a forward and backward pass through a batch norm and the operators fused with it.
struct Made {
  at::Tensor output, images, weight, bias, added, mean, variance;
  std::int64_t batches;
};

struct Case {
  at::ScalarType type;
  bool adds, relu;
  at::MemoryFormat format;
};

BatchNorm2d prepared(at::ScalarType type, std::int64_t channels) {
  BatchNorm2d norm(channels);
  norm->to(torch::kCPU, type == at::kDouble ? at::kDouble : at::kFloat);
  const at::NoGradGuard no_gradients;
  norm->weight.uniform_(0.5, 1.5);
  norm->bias.uniform_(-0.5, 0.5);
  return norm;
}

Made make(const Case& with, bool fused) {
  torch::manual_seed(3);
  constexpr std::int64_t kChannels = 37;  // not a multiple of the vector width of processors
  BatchNorm2d norm = prepared(with.type, kChannels);
  const auto random = [&](double mean) {
    return (at::randn({5, kChannels, 7, 6}, at::kDouble) + mean)
        .to(with.type)
        .contiguous(with.format)
        .set_requires_grad(true);
  };
  const at::Tensor images = random(3), added = random(0);
  at::Tensor output;
  if (!fused) {
    // For bf16, the reference is computed in fp32 and rounded at the end, like the fused batch
    // norm.
    const auto widened = [&](const at::Tensor& each) {
      return with.type == at::kBFloat16 ? each.to(at::kFloat) : each;
    };
    output = norm->torch::nn::BatchNorm2dImpl::forward(widened(images));
    if (with.adds) output = output + widened(added);
    if (with.relu) output = output.relu();
    output = output.to(with.type);
  } else if (with.adds) {
    output = norm->forward_add_relu(images, added);
  } else {
    output = with.relu ? norm->forward_relu(images) : norm->forward(images);
  }
  const at::Tensor gradient = at::randn({5, kChannels, 7, 6}, at::kDouble).to(with.type);
  output.backward(gradient);
  return {output.detach(),
          images.grad(),
          norm->weight.grad(),
          norm->bias.grad(),
          with.adds ? added.grad() : at::zeros({1}),
          norm->running_mean,
          norm->running_var,
          norm->num_batches_tracked.item<std::int64_t>()};
}

void check_close(const at::Tensor& a, const at::Tensor& b, double tolerance) {
  REQUIRE(a.scalar_type() == b.scalar_type());
  const double scale = 1 + b.abs().max().item<double>();
  CHECK((a - b).abs().max().item<double>() <= tolerance * scale);
}

void check_alike(const Case& with, double tolerance) {
  const Made ours = make(with, true), reference = make(with, false);
  check_close(ours.output, reference.output, tolerance);
  check_close(ours.images, reference.images, tolerance);
  check_close(ours.weight, reference.weight, tolerance);
  check_close(ours.bias, reference.bias, tolerance);
  check_close(ours.added, reference.added, tolerance);
  check_close(ours.mean, reference.mean, tolerance);
  check_close(ours.variance, reference.variance, tolerance);
  CHECK(ours.batches == reference.batches);
}

}  // namespace

TEST_CASE("a fused batch norm equals LibTorch's batch norm and the operators that follow") {
  const auto format = GENERATE(at::MemoryFormat::ChannelsLast, at::MemoryFormat::Contiguous);
  const auto [adds, relu] =
      GENERATE(table<bool, bool>({{false, false}, {false, true}, {true, true}}));
  check_alike({at::kDouble, adds, relu, format}, 1e-12);
  check_alike({at::kFloat, adds, relu, format}, 2e-5);
}

TEST_CASE("a fused batch norm of bf16 computes in fp32 and rounds once") {
  check_alike({at::kBFloat16, false, true, at::MemoryFormat::ChannelsLast}, 0.005);
  check_alike({at::kBFloat16, true, true, at::MemoryFormat::ChannelsLast}, 0.005);
}

TEST_CASE("fusion requires channels-last images with more than one value per channel") {
  const at::Tensor weight = at::ones({4}), none;
  const auto images = [](std::int64_t samples, at::MemoryFormat format) {
    return at::zeros({samples, 4, 3, 3}).contiguous(format);
  };
  const at::Tensor last = images(2, at::MemoryFormat::ChannelsLast);
  CHECK(trainer::can_fuse_norm(last, none, weight));
  CHECK(trainer::can_fuse_norm(last, last, weight));
  CHECK(trainer::can_fuse_norm(last.to(at::kBFloat16), none, weight));
  CHECK_FALSE(trainer::can_fuse_norm(last.to(at::kHalf), none, weight));
  CHECK_FALSE(trainer::can_fuse_norm(last.to(at::kDouble), none, weight));
  CHECK_FALSE(trainer::can_fuse_norm(images(2, at::MemoryFormat::Contiguous), none, weight));
  CHECK_FALSE(trainer::can_fuse_norm(last, images(1, at::MemoryFormat::ChannelsLast), weight));
  CHECK_FALSE(trainer::can_fuse_norm(at::zeros({1, 4, 1, 1}), none, weight));
  CHECK_FALSE(trainer::can_fuse_norm(at::zeros({0, 4, 3, 3}), none, weight));
}

TEST_CASE("the results of a fused batch norm do not depend on the number of threads") {
  const int threads = at::get_num_threads();
  const Case with{at::kFloat, true, true, at::MemoryFormat::ChannelsLast};
  const Made one = make(with, true);
  at::set_num_threads(3);
  const Made three = make(with, true);
  at::set_num_threads(threads);
  CHECK(at::equal(one.output, three.output));
  CHECK(at::equal(one.images, three.images));
  CHECK(at::equal(one.weight, three.weight));
}
