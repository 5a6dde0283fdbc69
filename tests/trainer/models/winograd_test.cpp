// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/winograd.hpp"

#include <ATen/autocast_mode.h>
#include <torch/types.h>

#include <catch2/catch.hpp>
#include <vector>

#include "trainer/models/convolution.hpp"
#include "trainer/models/winograd_kernels.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

struct WinogradCase {
  std::int64_t samples, in, out, height, width, padding;
  bool bias;
};

struct Passes {
  at::Tensor output;
  std::vector<at::Tensor> gradients;  ///< of images, filters, bias
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

/// Root of the mean of squares, of the error over that of the exact values.
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

TEST_CASE("convolutions by tiles of 4x4 are LibTorch's, forward and backward") {
  torch::manual_seed(7);
  for (const WinogradCase& each : std::vector<WinogradCase>{{32, 32, 32, 4, 4, 1, false},
                                                            {2, 32, 48, 17, 30, 1, true},
                                                            {4, 48, 32, 14, 13, 0, true},
                                                            {1, 64, 64, 56, 56, 1, false},
                                                            {9, 128, 32, 7, 7, 1, false},
                                                            {40, 32, 64, 3, 3, 0, false},
                                                            {40, 32, 32, 1, 2, 1, true}}) {
    INFO(each.samples << " x " << each.in << " x " << each.height << " x " << each.width << " to "
                      << each.out << ", padding " << each.padding);
    std::vector<at::Tensor> arguments{images_of(each), filters_of(each)};
    if (each.bias) arguments.push_back(torch::randn(each.out));
    const std::int64_t padding[] = {each.padding, each.padding};
    REQUIRE(suits_winograd(arguments[0], arguments[1], padding));
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

TEST_CASE("their rounding errors are within four times those of LibTorch's convolutions") {
  torch::manual_seed(8);
  const WinogradCase each{4, 512, 512, 8, 8, 1, false};
  const std::vector<at::Tensor> arguments{images_of(each).relu(), filters_of(each)};
  const auto direct = [](const auto& x, const auto& w, const auto&) {
    return at::conv2d(x, w, {}, 1, 1);
  };
  REQUIRE_FALSE(suits_winograd(arguments[0], arguments[1], {1, 1}));  // 16 tiles: not worth it
  const Passes found = passes_of(arguments, [](const auto& x, const auto& w, const auto& b) {
    return winograd_convolve(x, w, b, {1, 1});
  });
  const Passes of_torch = passes_of(arguments, direct);
  const Passes exact =
      passes_of({arguments[0].to(at::kDouble), arguments[1].to(at::kDouble)}, direct);
  CHECK(relative_error(found.output, exact.output) <
        4 * relative_error(of_torch.output, exact.output));
  for (std::size_t i = 0; i < 2; ++i) {
    // Of sums over few pixels there is hardly an error to compare with.
    CHECK(relative_error(found.gradients[i], exact.gradients[i]) <
          4 * std::max(5e-7, relative_error(of_torch.gradients[i], exact.gradients[i])));
  }
}

TEST_CASE("a convolution by tiles does not depend on how many threads there are") {
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
  CHECK(relative_error(three.output, one.output.to(at::kDouble)) < 1e-6);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(relative_error(three.gradients[i], one.gradients[i].to(at::kDouble)) < 1e-6);
}

TEST_CASE("a convolution by tiles computes the gradients that are wanted alone") {
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

TEST_CASE("what tiles of 4x4 cannot do or would do slower is left to LibTorch") {
  const WinogradCase good{4, 32, 32, 16, 16, 1, false};
  const at::Tensor x = images_of(good), w = filters_of(good);
  REQUIRE(suits_winograd(x, w, {1, 1}));
  CHECK_FALSE(suits_winograd(x.to(at::kDouble), w.to(at::kDouble), {1, 1}));
  CHECK_FALSE(suits_winograd(x.to(at::kBFloat16), w.to(at::kBFloat16), {1, 1}));
  CHECK_FALSE(suits_winograd(x.contiguous(), w, {1, 1}));
  CHECK_FALSE(suits_winograd(x, torch::randn({32, 32, 5, 5}), {2, 2}));
  CHECK_FALSE(suits_winograd(x, torch::randn({40, 32, 3, 3}), {1, 1}));  // channels of no block
  CHECK_FALSE(suits_winograd(x, torch::randn({16, 32, 3, 3}), {1, 1}));  // few channels
  CHECK_FALSE(suits_winograd(x, w, {1, 0}));
  CHECK_FALSE(suits_winograd(x.narrow(0, 0, 1), w, {1, 1}));             // few tiles
  CHECK_FALSE(suits_winograd(torch::randn({64, 32, 2, 2}), w, {0, 0}));  // no result at all
  at::autocast::set_autocast_enabled(at::kCPU, true);
  CHECK_FALSE(suits_winograd(x, w, {1, 1}));
  at::autocast::set_autocast_enabled(at::kCPU, false);
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
    gather(images, values.data_ptr<float>(), {0, tiles, 0, images.channels},
           gathered.data_ptr<float>());
    scatter(images, points.data_ptr<float>(), nullptr, {0, tiles, 0, images.channels},
            scattered.data_ptr<float>());
    const auto product = [](const at::Tensor& a, const at::Tensor& b) {
      return (a.to(at::kDouble) * b.to(at::kDouble)).sum().item<double>();
    };
    CHECK(product(gathered, points) == Approx(product(values, scattered)).epsilon(1e-5));
  }
}
