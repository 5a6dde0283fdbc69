// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/kernels/gpu_kernels_check.hpp"

#include <ATen/Context.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "trainer/kernels/gpu_kernels.hpp"

namespace dlscale::test {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr at::ScalarType kTypes[] = {at::kFloat, at::kHalf, at::kBFloat16};

/// Guard during whose lifetime new tensors are filled with NaN.
class PoisonedMemory {
 public:
  PoisonedMemory() { at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true); }
  ~PoisonedMemory() { at::globalContext().setDeterministicAlgorithms(false, false); }
};

/// Returns the largest error of a number that is rounded to `type` once, relative to the largest
/// number.
double rounding_of(at::ScalarType type) {
  if (type == at::kBFloat16) return 1.0 / 200;
  return type == at::kHalf ? 1.0 / 1600 : 1e-5;
}

double difference(const at::Tensor& found, const at::Tensor& expected) {
  const at::Tensor all = found.detach().to(at::kCPU, at::kDouble);
  const at::Tensor right = expected.detach().to(at::kCPU, at::kDouble);
  REQUIRE(all.sizes() == right.sizes());
  const double most = right.abs().max().item<double>();
  // The comparison treats NaN as a difference.
  const double apart = (all - right).abs().max().item<double>();
  return apart >= 0 ? apart / (1 + most) : INFINITY;
}

/// Returns random values of `type` on the device. Values of images have the channels-last format.
at::Tensor random_values(const Shape& shape, double mean, at::ScalarType type,
                         const at::Device& device) {
  at::Tensor values = (at::randn(shape, at::kDouble) + mean).to(device, type);
  if (shape.size() == 4) values = values.contiguous(at::MemoryFormat::ChannelsLast);
  return values;
}

/// Returns the same values in float64 on the CPU.
at::Tensor widened(const at::Tensor& values) {
  return values.detach().to(at::kCPU, at::kDouble).clone();
}

void check_norm(const Shape& shape, at::ScalarType type, bool adds, bool relu,
                const at::Device& device) {
  CAPTURE(shape, type, adds, relu);
  const std::int64_t channels = shape[1];
  const at::Tensor x = random_values(shape, 3, type, device).requires_grad_();
  const at::Tensor added =
      adds ? random_values(shape, 0, type, device).requires_grad_() : at::Tensor();
  const at::Tensor dy = random_values(shape, 0, type, device);
  const auto of_channels = [&] { return (at::rand({channels}) + 0.5).to(device); };
  const at::Tensor weight = of_channels().requires_grad_(), bias = of_channels().requires_grad_();
  const at::Tensor mean = of_channels(), variance = of_channels();
  const at::Tensor batches = at::zeros({}, at::TensorOptions(at::kLong).device(device));

  const at::Tensor x2 = widened(x).requires_grad_();
  const at::Tensor added2 = adds ? widened(added).requires_grad_() : at::Tensor();
  const at::Tensor weight2 = widened(weight).requires_grad_();
  const at::Tensor bias2 = widened(bias).requires_grad_();
  const at::Tensor mean2 = widened(mean), variance2 = widened(variance);
  at::Tensor y2 = at::batch_norm(x2, weight2, bias2, mean2, variance2, true, 0.1, 1e-5, false);
  if (adds) y2 = y2 + added2;
  if (relu) y2 = y2.relu();
  y2.backward(widened(dy));

  REQUIRE(trainer::can_norm_on_gpu(x, added, weight));
  const at::Tensor y = trainer::gpu_norm(
      x, added, relu, {weight, bias, mean, variance, batches, /*momentum=*/0.1, /*epsilon=*/1e-5});
  y.backward(dy);

  const double rounding = rounding_of(type);
  CHECK(y.scalar_type() == type);
  CHECK(y.is_contiguous(at::MemoryFormat::ChannelsLast));
  CHECK(difference(y, y2) < rounding);
  // The gradients of a channel with two pixels nearly cancel, which increases their relative error.
  CHECK(difference(x.grad(), x2.grad()) < std::max(rounding, 1e-4));
  if (adds) CHECK(difference(added.grad(), added2.grad()) < rounding);
  CHECK(difference(weight.grad(), weight2.grad()) < 1e-4);
  CHECK(difference(bias.grad(), bias2.grad()) < 1e-4);
  CHECK(difference(mean, mean2) < 1e-5);
  CHECK(difference(variance, variance2) < 1e-4);
  CHECK(batches.item<std::int64_t>() == 1);
}

struct Pool {
  Shape shape;
  int window, stride, padding;
  bool covers_rest;
};

void check_pool(const Pool& pool, at::ScalarType type, const at::Device& device) {
  CAPTURE(pool.shape, pool.window, pool.stride, pool.padding, pool.covers_rest, type);
  const at::Tensor x = random_values(pool.shape, 0, type, device).requires_grad_();
  const at::Tensor x2 = widened(x).requires_grad_();
  const at::Tensor y2 =
      at::max_pool2d(x2, pool.window, pool.stride, pool.padding, 1, pool.covers_rest);
  const at::Tensor y =
      trainer::gpu_max_pool(x, pool.window, pool.stride, pool.padding, pool.covers_rest);
  REQUIRE(y.defined());
  CHECK(difference(y, y2) == 0);
  const at::Tensor dy = random_values(y2.sizes().vec(), 0, type, device);
  y.backward(dy);
  y2.backward(widened(dy));
  // If several 16-bit values are equal, only one of them counts as the maximum, as in float64.
  CHECK(difference(x.grad(), x2.grad()) < rounding_of(type));
}

void check_loss(std::int64_t samples, std::int64_t classes, double smoothing, at::ScalarType type,
                const at::Device& device) {
  CAPTURE(samples, classes, smoothing, type);
  const at::Tensor scores =
      (random_values({samples, classes}, 0, type, device) * 4).detach().requires_grad_();
  const at::Tensor target = at::randint(classes, {samples}, at::kLong).to(device);
  const at::Tensor scores2 = widened(scores).requires_grad_();
  const at::Tensor loss2 =
      at::cross_entropy_loss(scores2, target.cpu(), {}, at::Reduction::Mean, -100, smoothing);
  const at::Tensor loss = trainer::gpu_cross_entropy(scores, target, smoothing);
  REQUIRE(loss.defined());
  CHECK(loss.scalar_type() == at::kFloat);
  CHECK(difference(loss, loss2) < 1e-5);
  (loss * 3).backward();
  (loss2 * 3).backward();
  CHECK(difference(scores.grad() * samples, scores2.grad() * samples) < rounding_of(type));
}

}  // namespace

void check_gpu_norm(const at::Device& device, bool few) {
  const PoisonedMemory poisoned;
  torch::manual_seed(5);
  // The shapes cover odd channels, one pixel, one sample, several tiles, partial tiles and several
  // chunks.
  std::vector<Shape> shapes = {{5, 37, 7, 6}, {1, 8, 1, 2},   {2, 64, 3, 3},
                               {1, 1, 2, 1},  {4, 96, 5, 5},  {3, 2048, 2, 2},
                               {7, 3, 1, 1},  {2, 264, 4, 3}, {2, 16, 41, 31}};
  if (few) shapes = {{2, 24, 9, 7}};
  for (const Shape& shape : shapes) {
    for (const at::ScalarType type : kTypes) {
      for (const bool adds : {false, true}) {
        for (const bool relu : {false, true}) check_norm(shape, type, adds, relu, device);
      }
    }
  }
}

void check_gpu_max_pool(const at::Device& device, bool few) {
  const PoisonedMemory poisoned;
  torch::manual_seed(6);
  std::vector<Pool> pools = {{{2, 64, 12, 12}, 3, 2, 1, false}, {{1, 5, 7, 9}, 3, 2, 1, false},
                             {{2, 8, 8, 8}, 2, 2, 0, false},    {{1, 16, 7, 5}, 3, 2, 0, true},
                             {{1, 8, 1, 1}, 1, 1, 0, false},    {{2, 24, 6, 11}, 3, 1, 1, false},
                             {{1, 8, 20, 20}, 16, 3, 2, false}};
  if (few) pools = {{{1, 16, 7, 5}, 3, 2, 1, false}};
  for (const Pool& pool : pools) {
    for (const at::ScalarType type : kTypes) check_pool(pool, type, device);
  }
}

void check_gpu_cross_entropy(const at::Device& device, bool few) {
  const PoisonedMemory poisoned;
  torch::manual_seed(7);
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{1, 1},    {1, 10},  {64, 10},
                                                              {3, 1000}, {5, 129}, {2, 30000}};
  if (few) sizes = {{3, 200}};
  for (const auto& [samples, classes] : sizes) {
    for (const at::ScalarType type : kTypes) {
      for (const double smoothing : {0.0, 0.1}) {
        check_loss(samples, classes, smoothing, type, device);
      }
    }
  }
}

}  // namespace dlscale::test
