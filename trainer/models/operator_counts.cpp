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

/// Places that filters are laid on, each with as many multiply-adds as a filter has weights.
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

/// rows x inner x columns, for each matrix of a batch.
double multiply_adds_of_product(const at::Tensor& a, const at::Tensor& b) {
  return values_in(a) * static_cast<double>(b.size(-1));
}

}  // namespace

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
