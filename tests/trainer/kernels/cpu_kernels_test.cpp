// SPDX-License-Identifier: Apache-2.0
// Tests that compare the two values of `cpu_kernels` in a whole model.
#include "trainer/kernels/cpu_kernels.hpp"

#include <catch2/catch.hpp>

#include "tests/trainer/models/made_model.hpp"
#include "trainer/models/convolution.hpp"

using namespace dlscale;

namespace {

/// Share of a gradient by which the kernels may differ, because rounding moves values near 0 across
/// a ReLU.
constexpr double kRounding = 0.02;

/// Guard that selects the kernels during its lifetime.
struct Kernels {
  explicit Kernels(bool fast) { trainer::use_fast_cpu_kernels(fast); }
  ~Kernels() { trainer::use_fast_cpu_kernels(true); }
};

struct Pass {
  std::unique_ptr<trainer::Model> model;
  at::Tensor scores;
};

/// Runs one forward and backward pass of a fixed model over fixed images.
Pass pass(bool fast) {
  const Kernels kernels(fast);
  auto context = test::model_context({3, 32, 32}, 10);
  context.channels_last = true;
  Pass made{test::make_model("resnet18", context), {}};
  torch::manual_seed(4);
  const at::Tensor images =
      torch::randn({16, 3, 32, 32}).contiguous(at::MemoryFormat::ChannelsLast);
  made.scores = made.model->forward(images);
  made.scores.square().mean().backward();
  return made;
}

}  // namespace

TEST_CASE("dlscale's own kernels and LibTorch's train the same model, except for rounding") {
  const Pass fast = pass(true), framework = pass(false);
  CHECK_FALSE(torch::equal(fast.scores, framework.scores));  // rounding differs
  CHECK(torch::allclose(fast.scores, framework.scores, 1e-3, 1e-4));
  for (std::size_t i = 0; i < fast.model->parameters().size(); ++i) {
    INFO(fast.model->parameter_names()[i]);
    const at::Tensor one = fast.model->parameters()[i].grad();
    const at::Tensor other = framework.model->parameters()[i].grad();
    CHECK((one - other).norm().item<double>() <= kRounding * other.norm().item<double>() + 1e-7);
  }
}

TEST_CASE("with LibTorch's kernels a convolution equals at::conv2d bit by bit") {
  const Kernels kernels(false);
  const at::Tensor images =
      torch::randn({8, 64, 16, 16}).contiguous(at::MemoryFormat::ChannelsLast);
  for (const std::int64_t side : {1, 3}) {
    const at::Tensor filters =
        torch::randn({64, 64, side, side}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor found = trainer::convolve(images, filters, {}, {1, 1}, {side / 2, side / 2});
    CHECK(torch::equal(found, at::conv2d(images, filters, {}, 1, side / 2)));
  }
}
