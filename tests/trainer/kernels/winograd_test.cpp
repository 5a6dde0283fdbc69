// SPDX-License-Identifier: Apache-2.0
#include "trainer/kernels/winograd.hpp"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <catch2/catch.hpp>
#include <vector>

#include "trainer/kernels/winograd_kernels.hpp"
#include "trainer/models/convolution.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

struct WinogradCase {
  std::int64_t samples, in, out, height, width, padding;
  bool bias;
};

struct Passes {
  at::Tensor output;
  std::vector<at::Tensor> gradients;  ///< gradients of images, filters and bias
};

at::Tensor images_of(const WinogradCase& each) {
  return torch::randn({each.samples, each.in, each.height, each.width})
      .contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor filters_of(const WinogradCase& each) {
  return torch::randn({each.out, each.in, 3, 3});
}

template <class Convolution>
Passes passes_of(const std::vector<at::Tensor>& arguments, const Convolution& convolution) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& each : arguments) leaves.push_back(each.detach().clone().requires_grad_());
  leaves.resize(3);
  const at::Tensor output = convolution(leaves[0], leaves[1], leaves[2]);
  const at::Tensor i = torch::arange(output.numel(), torch::kDouble);
  output.backward(torch::sin(i * i * 0.7).view(output.sizes()).to(output.dtype()));
  Passes result{output.detach(), {}};
  for (const at::Tensor& each : leaves) {
    if (each.defined()) result.gradients.push_back(each.grad());
  }
  return result;
}

/// Returns the root mean square of the error, divided by the root mean square of the exact values.
double relative_error(const at::Tensor& found, const at::Tensor& exact) {
  return ((found.to(at::kDouble) - exact).square().mean() / exact.square().mean())
      .sqrt()
      .item<double>();
}

TiledImages tiled(TileKind kind, std::int64_t channels, std::int64_t side, std::int64_t tiles,
                  std::int64_t margin) {
  return {kind, channels, side, side, tiles, tiles, margin};
}

}  // namespace

TEST_CASE("Winograd convolutions match LibTorch in the forward and backward pass") {
  torch::manual_seed(7);
  for (const WinogradCase& each : std::vector<WinogradCase>{{40, 32, 32, 4, 4, 1, false},
                                                            {2, 32, 48, 17, 30, 1, true},
                                                            {4, 48, 32, 14, 13, 0, true},
                                                            {1, 64, 64, 56, 56, 1, false},
                                                            {20, 128, 32, 7, 7, 1, false},
                                                            {8, 32, 32, 7, 12, 1, true}}) {
    INFO(each.samples << " x " << each.in << " x " << each.height << " x " << each.width << " to "
                      << each.out << ", padding " << each.padding);
    std::vector<at::Tensor> arguments{images_of(each), filters_of(each)};
    if (each.in == each.out) arguments[1] = arguments[1].contiguous(at::MemoryFormat::ChannelsLast);
    if (each.bias) arguments.push_back(torch::randn(each.out));
    const std::int64_t padding[] = {each.padding, each.padding};
    REQUIRE(suits_winograd(arguments[0], arguments[1],
                           arguments.size() > 2 ? arguments[2] : at::Tensor(), padding));
    const Passes found = passes_of(arguments, [&](const auto& x, const auto& w, const auto& b) {
      return convolve(x, w, b, {1, 1}, padding);
    });
    for (at::Tensor& argument : arguments) argument = argument.to(at::kDouble);
    const Passes exact = passes_of(arguments, [&](const auto& x, const auto& w, const auto& b) {
      return at::conv2d(x, w, b, {1, 1}, padding);
    });
    CHECK(found.output.sizes() == exact.output.sizes());
    CHECK(found.output.is_contiguous(at::MemoryFormat::ChannelsLast));
    CHECK(relative_error(found.output, exact.output) < 3e-6);
    REQUIRE(found.gradients.size() == exact.gradients.size());
    for (std::size_t i = 0; i < exact.gradients.size(); ++i)
      CHECK(relative_error(found.gradients[i], exact.gradients[i]) < 3e-6);
  }
}

TEST_CASE("Winograd convolutions have small rounding errors, also with 512 channels") {
  torch::manual_seed(8);
  const WinogradCase each{4, 512, 512, 8, 8, 1, false};
  const std::vector<at::Tensor> arguments{images_of(each).relu(), filters_of(each)};
  const Passes found = passes_of(arguments, [](const auto& x, const auto& w, const auto& b) {
    return winograd_convolve(x, w, b, {1, 1});
  });
  const Passes exact = passes_of(
      {arguments[0].to(at::kDouble), arguments[1].to(at::kDouble)},
      [](const auto& x, const auto& w, const auto&) { return at::conv2d(x, w, {}, 1, 1); });
  // docs/models.md documents these limits.
  CHECK(relative_error(found.output, exact.output) < 2.1e-6);
  CHECK(relative_error(found.gradients[0], exact.gradients[0]) < 2.5e-6);
  CHECK(relative_error(found.gradients[1], exact.gradients[1]) < 6.3e-7);
}

TEST_CASE("Winograd convolutions do not depend on the number of threads, except for rounding") {
  torch::manual_seed(9);
  const WinogradCase each{8, 64, 48, 15, 15, 1, false};
  const std::vector<at::Tensor> arguments{images_of(each), filters_of(each)};
  const auto ours = [](const auto& x, const auto& w, const auto& b) {
    return winograd_convolve(x, w, b, {1, 1});
  };
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Passes one = passes_of(arguments, ours);
  at::set_num_threads(3);
  const Passes three = passes_of(arguments, ours);
  at::set_num_threads(threads);
  CHECK(relative_error(three.output, one.output.to(at::kDouble)) < 4e-6);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(relative_error(three.gradients[i], one.gradients[i].to(at::kDouble)) < 4e-6);
}

TEST_CASE("a Winograd convolution computes only the requested gradients") {
  torch::manual_seed(10);
  const WinogradCase each{4, 32, 32, 16, 16, 1, false};
  for (const bool of_images : {true, false}) {
    const at::Tensor x = images_of(each).requires_grad_(of_images);
    const at::Tensor w = filters_of(each).requires_grad_(!of_images);
    winograd_convolve(x, w, {}, {1, 1}).sum().backward();
    CHECK(x.grad().defined() == of_images);
    CHECK(w.grad().defined() == !of_images);
  }
}

TEST_CASE("convolutions that Winograd does not support or speed up are left to LibTorch") {
  const WinogradCase good{4, 32, 32, 16, 16, 1, false};
  const at::Tensor x = images_of(good), w = filters_of(good);
  const auto suits = [](const at::Tensor& input, const at::Tensor& weight,
                        const at::Tensor& bias = {}) {
    return suits_winograd(input, weight, bias, {1, 1});
  };
  const auto suits_side = [&](std::int64_t samples, std::int64_t side) {
    return suits(images_of({samples, 64, 64, side, side, 1, false}),
                 filters_of({1, 64, 64, side, side, 1, false}));
  };
  REQUIRE(suits(x, w, torch::zeros(32)));
  CHECK_FALSE(suits(x.to(at::kDouble), w.to(at::kDouble)));
  CHECK_FALSE(suits(x.to(at::kBFloat16), w.to(at::kBFloat16)));
  CHECK_FALSE(suits(x.contiguous(), w));
  CHECK_FALSE(suits(x[0], w));
  CHECK_FALSE(
      suits(x, torch::randn({32, 16, 3, 3})));  // left to LibTorch, which rejects 16 channels
  CHECK_FALSE(suits(x, w, torch::zeros(31)));
  CHECK_FALSE(suits(x, w, torch::zeros(1).expand(32)));
  CHECK_FALSE(suits_winograd(x, torch::randn({32, 32, 5, 5}), {}, {2, 2}));
  CHECK_FALSE(suits(x, torch::randn({40, 32, 3, 3})));  // the last block of channels is incomplete
  CHECK_FALSE(suits(x, torch::randn({16, 32, 3, 3})));  // too few channels
  CHECK_FALSE(suits_winograd(x, w, {}, {1, 0}));
  // The output of these small images is empty.
  CHECK_FALSE(suits_winograd(images_of({64, 32, 32, 2, 2, 0, false}), w, {}, {0, 0}));
  CHECK(suits_side(32, 4));
  CHECK_FALSE(suits_side(16, 4));  // too few outputs
  for (const std::int64_t mostly_empty : {1, 2, 3, 5, 6})
    CHECK_FALSE(suits_side(256, mostly_empty));
  CHECK(suits_side(8, 7));
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const bool suits_autocast = suits(x, w);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  CHECK_FALSE(suits_autocast);
}

TEST_CASE("second derivatives of a Winograd convolution are rejected") {
  const WinogradCase each{4, 32, 32, 16, 16, 1, false};
  const at::Tensor x = images_of(each).requires_grad_();
  const at::Tensor y = winograd_convolve(x, filters_of(each), {}, {1, 1});
  CHECK_THROWS_WITH(torch::autograd::grad({y.sum()}, {x}, {}, std::nullopt, /*create_graph=*/true),
                    Catch::Contains("second-order gradients"));
}

TEST_CASE("scatter is the transpose of gather for every kind of tile") {
  torch::manual_seed(11);
  for (const TiledImages& images :
       {tiled(TileKind::input, 32, 10, 3, 1), tiled(TileKind::input, 16, 9, 2, 0),
        tiled(TileKind::filter, 48, 3, 1, 0), tiled(TileKind::output, 32, 10, 3, 0)}) {
    constexpr std::int64_t kImages = 2;
    const std::int64_t tiles = kImages * images.tile_rows * images.tile_columns;
    const at::Tensor values = torch::randn({kImages, images.height, images.width, images.channels});
    const at::Tensor points = torch::randn({kTilePoints, tiles, images.channels});
    const at::Tensor gathered = torch::empty_like(points), scattered = torch::zeros_like(values);
    const TileBlock all{0, tiles, 0, images.channels};
    gather(images, values.data_ptr<float>(), all, {gathered.data_ptr<float>(), 0, tiles});
    scatter(images, {points.data_ptr<float>(), 0, tiles}, nullptr, all,
            scattered.data_ptr<float>());
    const auto product = [](const at::Tensor& a, const at::Tensor& b) {
      return (a.to(at::kDouble) * b.to(at::kDouble)).sum().item<double>();
    };
    CHECK(product(gathered, points) == Approx(product(values, scattered)).epsilon(1e-5));
  }
}
