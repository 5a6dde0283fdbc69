// SPDX-License-Identifier: Apache-2.0
// Benchmark that compares the time of a network's convolutions with stride 1 between the kernels
// that LibTorch chooses and dlscale's kernels.
// usage: convolution_bench resnet50|resnet18_cifar [samples [threads]]
// For both memory formats the program prints the milliseconds of the forward and backward pass of
// each shape, multiplied by the number of such convolutions in the network, and the sums. Each time
// is the shortest time of several repetitions. In each repetition LibTorch's kernels and dlscale's
// kernels take turns.
#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "trainer/models/convolution.hpp"

using namespace dlscale;

namespace {

constexpr int kRepetitions = 7;

struct Shape {
  std::int64_t in, out, side, kernel;
  int number;
};

/// Convolutions of ResNet-50 for images of 224x224.
const std::vector<Shape> kResNet50 = {
    {64, 64, 56, 1, 1},    {64, 256, 56, 1, 4},   {256, 64, 56, 1, 2},  {256, 128, 56, 1, 1},
    {128, 512, 28, 1, 4},  {512, 128, 28, 1, 3},  {512, 256, 28, 1, 1}, {256, 1024, 14, 1, 6},
    {1024, 256, 14, 1, 5}, {1024, 512, 14, 1, 1}, {512, 2048, 7, 1, 3}, {2048, 512, 7, 1, 2},
    {64, 64, 56, 3, 3},    {128, 128, 28, 3, 3},  {256, 256, 14, 3, 5}, {512, 512, 7, 3, 2}};
/// Convolutions of ResNet-18 for images of 32x32.
const std::vector<Shape> kResNet18 = {
    {64, 64, 32, 3, 4}, {128, 128, 16, 3, 3}, {256, 256, 8, 3, 3}, {512, 512, 4, 3, 3}};

std::int64_t padding_of(const at::Tensor& weight) {
  return weight.size(2) / 2;
}

at::Tensor of_torch(const at::Tensor& input, const at::Tensor& weight) {
  return at::conv2d(input, weight, {}, 1, padding_of(weight));
}

at::Tensor of_ours(const at::Tensor& input, const at::Tensor& weight) {
  const std::int64_t padding = padding_of(weight);
  return trainer::convolve(input, weight, {}, {1, 1}, {padding, padding});
}

double milliseconds(at::Tensor (*convolution)(const at::Tensor&, const at::Tensor&),
                    const at::Tensor& input, const at::Tensor& weight) {
  const base::SystemClock clock;
  const double begin_s = clock.steady_s();
  const at::Tensor output = convolution(input, weight);
  output.backward(output.detach());
  const double end_s = clock.steady_s();
  input.mutable_grad().reset();
  weight.mutable_grad().reset();
  return 1000 * (end_s - begin_s);
}

void measure(const std::vector<Shape>& shapes, std::int64_t samples, at::MemoryFormat format,
             const char* name) {
  double sum[2] = {0, 0};
  for (const Shape& shape : shapes) {
    const auto make = [&](at::IntArrayRef sizes) {
      return torch::randn(sizes).contiguous(format).set_requires_grad(true);
    };
    const at::Tensor input = make({samples, shape.in, shape.side, shape.side});
    const at::Tensor weight = make({shape.out, shape.in, shape.kernel, shape.kernel});
    double best[2] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    for (int i = 0; i < kRepetitions; ++i) {
      best[0] = std::min(best[0], milliseconds(of_torch, input, weight));
      best[1] = std::min(best[1], milliseconds(of_ours, input, weight));
    }
    for (int i = 0; i < 2; ++i) sum[i] += best[i] * shape.number;
    fmt::print(
        "{:13}  {}x{} {:4} -> {:4} at {:2}x{:<2} x{}  LibTorch {:8.1f} ms  dlscale {:8.1f} ms\n",
        name, shape.kernel, shape.kernel, shape.in, shape.out, shape.side, shape.side, shape.number,
        best[0] * shape.number, best[1] * shape.number);
  }
  fmt::print("{:13}  all{:33}LibTorch {:8.1f} ms  dlscale {:8.1f} ms\n", name, "", sum[0], sum[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string network = argc > 1 ? argv[1] : "resnet50";
  const std::int64_t samples = argc > 2 ? std::atoll(argv[2]) : 8;
  at::set_num_threads(argc > 3 ? std::atoi(argv[3]) : 1);
  if (network != "resnet50" && network != "resnet18_cifar") {
    fmt::print(stderr, "convolution_bench: no network is named {}\n", network);
    return 2;
  }
  const auto& shapes = network == "resnet50" ? kResNet50 : kResNet18;
  measure(shapes, samples, at::MemoryFormat::Contiguous, "contiguous");
  measure(shapes, samples, at::MemoryFormat::ChannelsLast, "channels_last");
}
