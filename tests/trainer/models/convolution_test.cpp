// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/convolution.hpp"

#include <ATen/record_function.h>

#include <catch2/catch.hpp>
#include <string_view>

using namespace dlscale;

namespace {

struct Result {
  at::Tensor output, input_gradient, weight_gradient, bias_gradient;
};

template <class Convolution>
Result passes(const Convolution& convolution, const at::Tensor& input, const at::Tensor& weight,
              const at::Tensor& bias) {
  const auto leaf = [](const at::Tensor& t) { return t.detach().clone().set_requires_grad(true); };
  const at::Tensor x = leaf(input), w = leaf(weight), b = leaf(bias);
  const at::Tensor y = convolution(x, w, b);
  // A gradient that depends on y would amplify rounding errors, so this gradient has fixed values.
  // The values have irregular signs, so that sums of the values do not vanish.
  const at::Tensor i = torch::arange(y.numel(), torch::kDouble);
  y.backward(torch::sin(i * i * 0.7).view(y.sizes()).to(y.dtype()));
  return {y.detach(), x.grad(), w.grad(), b.grad()};
}

void check_convolution_close(const at::Tensor& found, const at::Tensor& expected) {
  CHECK(found.sizes() == expected.sizes());
  const double scale = expected.abs().max().item<double>();
  CHECK((found - expected).abs().max().item<double>() < 1e-5 * scale);
}

struct Exact {
  Result ours, exact;
};

/// Returns the results of convolve() and of LibTorch in float64.
Exact both(const at::Tensor& input, const at::Tensor& weight, std::int64_t stride,
           std::int64_t padding) {
  const std::int64_t strides[] = {stride, stride}, pads[] = {padding, padding};
  const at::Tensor bias = torch::randn(weight.size(0));
  return {passes([&](const auto& x, const auto& w,
                     const auto& b) { return trainer::convolve(x, w, b, strides, pads); },
                 input, weight, bias),
          passes([&](const auto& x, const auto& w,
                     const auto& b) { return at::conv2d(x, w, b, strides, pads); },
                 input.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble))};
}

void check_convolutions_close(const Exact& found) {
  check_convolution_close(found.ours.output, found.exact.output);
  check_convolution_close(found.ours.input_gradient, found.exact.input_gradient);
  check_convolution_close(found.ours.weight_gradient, found.exact.weight_gradient);
  check_convolution_close(found.ours.bias_gradient, found.exact.bias_gradient);
}

thread_local int slow_calls = 0;

std::unique_ptr<at::ObserverContext> count_slow(const at::RecordFunction& call) {
  if (std::string_view(call.name()).find("slow_conv") != std::string_view::npos) ++slow_calls;
  return nullptr;
}

}  // namespace

TEST_CASE("convolutions of few samples match LibTorch in the forward and backward pass") {
  torch::manual_seed(5);
  for (const std::int64_t samples : {1, 2, 8, 16}) {
    for (const std::int64_t kernel : {1, 3}) {
      for (const std::int64_t stride : {1, 2}) {
        for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
          INFO(samples << " samples, " << kernel << "x" << kernel << ", stride " << stride);
          const at::Tensor input = torch::randn({samples, 48, 21, 23}).contiguous(format);
          const at::Tensor weight = torch::randn({48, 48, kernel, kernel}).contiguous(format);
          check_convolutions_close(both(input, weight, stride, kernel / 2));
        }
      }
    }
  }
}

TEST_CASE("narrow strided 1x1 convolutions with channels last match LibTorch in repeated calls") {
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  torch::manual_seed(6);
  for (const std::int64_t channels : {3, 4, 12}) {
    INFO(channels << " channels");
    const at::Tensor input =
        torch::randn({32, channels, 28, 27}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor weight = torch::randn({8, channels, 1, 1});
    for (int i = 0; i < 20; ++i) check_convolutions_close(both(input, weight, 2, 0));
  }
  at::set_num_threads(threads);
}

TEST_CASE("1x1 convolutions of few samples with channels last do not use the slow kernels") {
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor input = torch::randn({8, 64, 28, 28}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor weight = torch::randn({32, 64, 1, 1});
  const auto watch = at::addThreadLocalCallback(
      at::RecordFunctionCallback(count_slow).scopes({at::RecordScope::FUNCTION}));
  slow_calls = 0;
  trainer::convolve(input, weight, {}, {1, 1}, {0, 0});
  const int ours = slow_calls;
  at::conv2d(input, weight);
  at::removeCallback(watch);
  at::set_num_threads(threads);
  CHECK(ours == 0);
  CHECK(slow_calls == 1);  // 0 if LibTorch has improved and convolve() is not needed
}
