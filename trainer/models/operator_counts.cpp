// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/operator_counts.hpp"

#include <algorithm>
#include <string_view>

namespace dlscale::trainer {
namespace {

constexpr double kMultiplyAdd = 2;  // FLOP

double values_in(const at::Tensor& tensor) {
  return static_cast<double>(tensor.numel());
}

double weights_of_filter(const at::Tensor& weight) {
  return values_in(weight) / static_cast<double>(weight.size(0));
}

/// Returns the multiply-adds of a convolution: the number of output values times the number of
/// weights in a filter.
double multiply_adds_of_convolution(const at::RecordFunction& call) {
  const auto inputs = call.inputs();
  const at::Tensor input = inputs[0].toTensor(), weight = inputs[1].toTensor();
  if (inputs[6].toBool()) return values_in(input) * weights_of_filter(weight);
  double places = static_cast<double>(input.size(0) * weight.size(0));
  const auto stride = inputs[3].toIntVector(), padding = inputs[4].toIntVector(),
             dilation = inputs[5].toIntVector();
  for (std::int64_t i = 2; i < input.dim(); ++i) {
    const auto at = [i](const std::vector<std::int64_t>& list) {
      return list[std::min<std::size_t>(static_cast<std::size_t>(i - 2), list.size() - 1)];
    };
    const std::int64_t reach = at(dilation) * (weight.size(i) - 1) + 1;
    places *= static_cast<double>((input.size(i) + 2 * at(padding) - reach) / at(stride) + 1);
  }
  return places * weights_of_filter(weight);
}

double multiply_adds_backward(const at::RecordFunction& call) {
  const auto inputs = call.inputs();
  const at::Tensor& outside = inputs[inputs[7].toBool() ? 1 : 0].toTensor();
  const auto mask = inputs[10].toBoolList();
  return values_in(outside) * weights_of_filter(inputs[2].toTensor()) *
         ((mask[0] ? 1 : 0) + (mask[1] ? 1 : 0));
}

/// Returns the multiply-adds of a matrix product, summed over the matrices of a batch: rows of `a`
/// x columns of `a` x columns of `b`.
double multiply_adds_of_product(const at::Tensor& a, const at::Tensor& b) {
  return values_in(a) * static_cast<double>(b.size(-1));
}

using OperatorSize = std::map<std::string, double>;

double extent(const at::Tensor& tensor, std::int64_t dimension) {
  return static_cast<double>(tensor.size(dimension));
}

bool is_square(const at::Tensor& tensor) {
  return tensor.dim() == 4 && tensor.size(2) == tensor.size(3);
}

/// Returns the value of the elements of a list if all elements are equal. Returns 0 if the elements
/// differ, and `without` if the list is empty.
std::int64_t alike(const c10::IValue& list, std::int64_t without) {
  const std::vector<std::int64_t> values = list.toIntVector();
  if (values.empty()) return without;
  return std::count(values.begin(), values.end(), values[0]) ==
                 static_cast<std::ptrdiff_t>(values.size())
             ? values[0]
             : 0;
}

/// Sliding window of a convolution or pooling operator.
struct Window {
  std::int64_t kernel = 0, stride = 0, pad = 0;
  bool rounds_up = false;
};

/// Adds the keys h_in, h_out, kernel and stride to `size`. Clears `size` if the window is not
/// square or does not fit in the padded image.
void add_window(OperatorSize& size, std::int64_t height, const Window& window) {
  const std::int64_t room = height + 2 * window.pad - window.kernel;
  if (window.kernel < 1 || window.stride < 1 || room < 0) return size.clear();
  std::int64_t places = (room + (window.rounds_up ? window.stride - 1 : 0)) / window.stride + 1;
  // LibTorch leaves out a last window that would start after the end of the image.
  if (window.rounds_up && (places - 1) * window.stride >= height + window.pad) --places;
  size["h_in"] = static_cast<double>(height);
  size["h_out"] = static_cast<double>(places);
  size["kernel"] = static_cast<double>(window.kernel);
  size["stride"] = static_cast<double>(window.stride);
}

OperatorSize size_of_convolution(std::span<const c10::IValue> inputs) {
  const at::Tensor input = inputs[0].toTensor(), weight = inputs[1].toTensor();
  // Padding may be a string, for example "same".
  const bool plain =
      is_square(input) && is_square(weight) && inputs[4].isIntList() && inputs[6].toInt() == 1;
  if (!plain) return {};
  const std::int64_t kernel = weight.size(2);
  if (kernel > 1 && alike(inputs[5], 1) != 1) return {};
  OperatorSize size{
      {"b", extent(input, 0)}, {"c_in", extent(input, 1)}, {"c_out", extent(weight, 0)}};
  add_window(size, input.size(2), {kernel, alike(inputs[3], 1), alike(inputs[4], 0)});
  return size;
}

OperatorSize size_of_pool(std::span<const c10::IValue> inputs, bool takes_most) {
  const at::Tensor input = inputs[0].toTensor();
  if (!is_square(input)) return {};
  const std::int64_t kernel = alike(inputs[1], 0);
  if (takes_most && alike(inputs[4], 1) != 1) return {};
  OperatorSize size{{"b", extent(input, 0)}, {"c", extent(input, 1)}};
  add_window(
      size, input.size(2),
      {kernel, alike(inputs[2], kernel), alike(inputs[3], 0), inputs[takes_most ? 5 : 4].toBool()});
  return size;
}

}  // namespace

std::map<std::string, double> size_of(const at::RecordFunction& call) {
  const std::string_view name = call.name();
  const auto inputs = call.inputs();
  if (name == "aten::conv2d") return size_of_convolution(inputs);
  if (name == "aten::max_pool2d") return size_of_pool(inputs, true);
  if (name == "aten::avg_pool2d") return size_of_pool(inputs, false);
  if (name == "aten::batch_norm" && is_square(inputs[0].toTensor())) {
    const at::Tensor input = inputs[0].toTensor();
    return {{"b", extent(input, 0)}, {"c", extent(input, 1)}, {"h_in", extent(input, 2)}};
  }
  if (name == "aten::addmm") {
    const at::Tensor input = inputs[1].toTensor(), weight = inputs[2].toTensor();
    return {{"b", extent(input, 0)}, {"inputs", extent(input, 1)}, {"outputs", extent(weight, 1)}};
  }
  return {};
}

std::vector<at::Tensor> tensors_of(std::span<const c10::IValue> values) {
  std::vector<at::Tensor> all;
  for (const c10::IValue& value : values) {
    if (value.isTensor() && value.toTensor().defined()) all.push_back(value.toTensor());
    if (!value.isTensorList()) continue;
    for (const at::Tensor& each : value.toTensorVector()) {
      if (each.defined()) all.push_back(each);
    }
  }
  return all;
}

double bytes_of(const std::vector<at::Tensor>& tensors) {
  double bytes = 0;
  for (const at::Tensor& each : tensors) {
    bytes += static_cast<double>(each.numel()) * static_cast<double>(each.element_size());
  }
  return bytes;
}

bool computes(std::string_view name) {
  constexpr std::string_view kCounted[] = {"aten::convolution", "aten::convolution_backward",
                                           "aten::addmm",       "aten::mm",
                                           "aten::bmm",         "aten::baddbmm"};
  return std::find(std::begin(kCounted), std::end(kCounted), name) != std::end(kCounted);
}

double flops_of(const at::RecordFunction& call) {
  const std::string_view name = call.name();
  const auto input = [&](std::size_t i) { return call.inputs()[i].toTensor(); };
  double multiply_adds = 0;
  if (name == "aten::convolution") multiply_adds = multiply_adds_of_convolution(call);
  if (name == "aten::convolution_backward") multiply_adds = multiply_adds_backward(call);
  if (name == "aten::mm" || name == "aten::bmm")
    multiply_adds = multiply_adds_of_product(input(0), input(1));
  if (name == "aten::addmm" || name == "aten::baddbmm") {
    multiply_adds = multiply_adds_of_product(input(1), input(2));
  }
  return kMultiplyAdd * multiply_adds;
}

const void* memory_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

bool is_view(std::string_view name, const std::set<const void*>& given,
             const std::vector<at::Tensor>& outputs) {
  return !name.ends_with('_') && std::all_of(outputs.begin(), outputs.end(), [&](const auto& each) {
    return given.contains(memory_of(each));
  });
}

}  // namespace dlscale::trainer
