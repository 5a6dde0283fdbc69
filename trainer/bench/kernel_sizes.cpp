// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/kernel_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace dlscale::trainer {
namespace {

constexpr int kMostTries = 20000;
constexpr double kNumberBytes = 4;

/// Returns the FNV-1a hash of the name of a kernel class. The hash selects the random stream of the
/// class, so that each class has its own stream.
std::uint64_t key_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return hash;
}

double filter_values(const KernelSize& size) {
  return size.at("c_in") * size.at("c_out") * std::pow(size.at("kernel"), 2);
}

}  // namespace

const std::vector<KernelClass>& kernel_classes() {
  using Shape = KernelShape;
  // The numbers are the errors on held-out sizes that the paper reports: 15 % for convolution, 14 %
  // for batch norm, 7 % for copies, and 5 % for fully connected layers, pooling, ReLU, softmax and
  // SGD.
  static const std::vector<KernelClass> classes{
      {"convolution_forward", Shape::convolution, 0.15},
      {"convolution_backward_data", Shape::convolution, 0.15},
      {"convolution_backward_filter", Shape::convolution, 0.15},
      {"bias_forward", Shape::image, 0},
      {"bias_backward", Shape::image, 0},
      {"batch_norm_forward", Shape::image, 0.14},
      {"batch_norm_backward", Shape::image, 0.14},
      {"max_pool_forward", Shape::pool, 0.05},
      {"max_pool_backward", Shape::pool, 0.05},
      {"avg_pool_forward", Shape::pool, 0.05},
      {"avg_pool_backward", Shape::pool, 0.05},
      {"relu_forward", Shape::vector, 0.05},
      {"relu_backward", Shape::vector, 0.05},
      {"add", Shape::vector, 0},
      {"linear_forward", Shape::matrix, 0.05},
      {"linear_backward_data", Shape::matrix, 0.05},
      {"linear_backward_filter", Shape::matrix, 0.05},
      {"softmax_forward", Shape::row, 0.05},
      {"softmax_backward", Shape::row, 0.05},
      {"sgd_update", Shape::vector, 0.05},
      {"momentum_update", Shape::vector, 0.05},
      {"adam_update", Shape::vector, 0},
      {"copy", Shape::vector, 0.07}};
  return classes;
}

const std::vector<std::string>& inputs_of(KernelShape shape) {
  static const std::map<KernelShape, std::vector<std::string>> inputs{
      {KernelShape::convolution, {"b", "c_in", "c_out", "h_in", "h_out", "kernel", "stride"}},
      {KernelShape::pool, {"b", "c", "h_in", "h_out", "kernel", "stride"}},
      {KernelShape::image, {"b", "c", "h_in"}},
      {KernelShape::matrix, {"b", "inputs", "outputs"}},
      {KernelShape::row, {"b", "outputs"}},
      {KernelShape::vector, {"n"}}};
  return inputs.at(shape);
}

SizeRanges usual_ranges(const std::string& device) {
  SizeRanges ranges;
  // Each "published" comment states the range of the paper, which is smaller than the range here.
  ranges.values = {{"b", {16, 32, 64, 128, 256}},
                   {"c", {3, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}},  // published: 3 to 512
                   {"h", {1, 2, 4, 7, 8, 14, 16, 28, 32, 56, 112, 224}},     // published: 8 to 224
                   {"kernel", {1, 2, 3, 5, 7, 9, 11}},  // published: 1, 3, 5, 7, 9
                   {"stride", {1, 2, 4}},
                   {"pad", {0, 1, 2, 3, 4, 5, 7, 9}},  // published: 1, 3, 5, 7, 9
                   {"f", {10, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 9216, 25088}},
                   {"n", {128, 1280000, 1 << 28}}};  // published: 128 to 1.28e6
  const bool gpu = device == "cuda";
  ranges.most_bytes = gpu ? 8e9 : 0.5e9;
  ranges.most_flop = gpu ? 4e12 : 20e9;
  return ranges;
}

double bytes_of_kernel(KernelShape shape, const KernelSize& size) {
  const auto at = [&](const char* key) { return size.at(key); };
  double values = 0;
  switch (shape) {
    case KernelShape::convolution:
      values = at("b") * at("c_in") * std::pow(at("h_in"), 2) +
               at("b") * at("c_out") * std::pow(at("h_out"), 2) + filter_values(size);
      break;
    case KernelShape::pool:
      values = at("b") * at("c") * (std::pow(at("h_in"), 2) + 2 * std::pow(at("h_out"), 2));
      break;
    case KernelShape::image:
      values = 2 * at("b") * at("c") * std::pow(at("h_in"), 2);
      break;
    case KernelShape::matrix:
      values = at("b") * (at("inputs") + at("outputs")) + at("inputs") * at("outputs");
      break;
    case KernelShape::row:
      values = at("b") * at("outputs");
      break;
    case KernelShape::vector:
      values = 2 * at("n");  // Adam keeps two additional vectors
      break;
  }
  return 2 * kNumberBytes * values;
}

double flop_of_kernel(KernelShape shape, const KernelSize& size) {
  if (shape == KernelShape::convolution) {
    return 2 * size.at("b") * std::pow(size.at("h_out"), 2) * filter_values(size);
  }
  if (shape == KernelShape::matrix) {
    return 2 * size.at("b") * size.at("inputs") * size.at("outputs");
  }
  return 0;
}

SizeSampler::SizeSampler(const KernelClass& kernel, const SizeRanges& ranges, std::uint64_t seed)
    : shape_(kernel.shape), ranges_(ranges), random_(seed, key_of(kernel.name)) {}

std::optional<KernelSize> SizeSampler::next() {
  for (int tries = 0; tries < kMostTries; ++tries) {
    const std::optional<KernelSize> size = draw();
    if (!size || bytes_of_kernel(shape_, *size) > ranges_.most_bytes ||
        flop_of_kernel(shape_, *size) > ranges_.most_flop) {
      continue;
    }
    if (drawn_.insert(*size).second) return size;
  }
  return {};
}

std::optional<KernelSize> SizeSampler::draw() {
  switch (shape_) {
    case KernelShape::convolution:
      return draw_window(true);
    case KernelShape::pool:
      return draw_window(false);
    case KernelShape::image:
      return KernelSize{{"b", pick("b")}, {"c", pick("c")}, {"h_in", pick("h")}};
    case KernelShape::matrix:
      return KernelSize{{"b", pick("b")}, {"inputs", pick("f")}, {"outputs", pick("f")}};
    case KernelShape::row:
      return KernelSize{{"b", pick("b")}, {"outputs", pick("f")}};
    case KernelShape::vector:
      break;
  }
  return KernelSize{{"n", pick_vector()}};
}

double SizeSampler::pick(const char* key) {
  const std::vector<std::int64_t>& values = ranges_.values.at(key);
  return static_cast<double>(values[random_.below(values.size())]);
}

double SizeSampler::pick_vector() {
  const auto [least, most] =
      std::minmax_element(ranges_.values.at("n").begin(), ranges_.values.at("n").end());
  const double logarithm =
      random_.uniform(std::log(static_cast<double>(*least)), std::log(static_cast<double>(*most)));
  return std::round(std::exp(logarithm));
}

/// Draws a size for a convolution or a pooling. Each filter or pooling window covers at least one
/// value of the image. The padding of a pooling is at most half of the window side, because
/// LibTorch requires this limit.
std::optional<KernelSize> SizeSampler::draw_window(bool convolution) {
  KernelSize size{{"b", pick("b")},
                  {"h_in", pick("h")},
                  {"kernel", pick("kernel")},
                  {"stride", pick("stride")}};
  size[convolution ? "c_in" : "c"] = pick("c");
  if (convolution) size["c_out"] = pick("c");
  const double kernel = size.at("kernel"), pad = pick("pad");
  const double room = size.at("h_in") + 2 * pad - kernel;
  if (room < 0 || pad >= kernel) return {};
  if (!convolution && (kernel < 2 || 2 * pad > kernel)) return {};
  size["h_out"] = std::floor(room / size.at("stride")) + 1;
  return size;
}

}  // namespace dlscale::trainer
