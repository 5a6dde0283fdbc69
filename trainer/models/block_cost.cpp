// SPDX-License-Identifier: Apache-2.0
// Counts by watching LibTorch's operators: whatever a model is written with is counted.
#include "trainer/models/block_cost.hpp"

#include <ATen/record_function.h>
#include <torch/torch.h>

#include <string_view>

namespace dlscale::trainer {
namespace {

/// Where the operators of this thread are counted while it is set.
thread_local double* counted = nullptr;

/// An output value of a convolution takes as many multiply-adds as a filter has weights; one of a
/// product as many as a row has values.
double multiply_adds(const at::RecordFunction& call) {
  const std::string_view name = call.name();
  const auto inputs = call.inputs();
  const auto tensor = [&](std::size_t i) { return inputs[i].toTensor(); };
  const double values = static_cast<double>(call.outputs().front().toTensor().numel());
  if (name == "aten::convolution") {
    const at::Tensor weight = tensor(1);
    return values * static_cast<double>(weight.numel() / weight.size(0));
  }
  const std::size_t left = name == "aten::addmm" ? 1 : 0;
  return values * static_cast<double>(tensor(left).size(-1));
}

void count_call(const at::RecordFunction& call, at::ObserverContext*) {
  if (counted == nullptr) return;
  const std::string_view name = call.name();
  for (const char* known : {"aten::convolution", "aten::addmm", "aten::mm", "aten::bmm"}) {
    if (name == known) *counted += multiply_adds(call);
  }
}

std::unique_ptr<at::ObserverContext> start_call(const at::RecordFunction&) {
  return nullptr;
}

}  // namespace

std::vector<BlockCost> measure_blocks(Model& model, const std::vector<std::int64_t>& input) {
  const at::NoGradGuard no_gradients;
  const at::Tensor& parameter = model.parameters().front();
  std::vector<std::int64_t> shape{1};
  shape.insert(shape.end(), input.begin(), input.end());
  at::Tensor value = at::zeros(shape, parameter.options().requires_grad(false));
  const auto watch = at::addThreadLocalCallback(at::RecordFunctionCallback(start_call, count_call)
                                                    .needsInputs(true)
                                                    .needsOutputs(true)
                                                    .scopes({at::RecordScope::FUNCTION}));
  model.set_training(false);
  std::vector<BlockCost> costs;
  for (std::size_t i = 0; i < model.blocks().size(); ++i) {
    BlockCost& cost = costs.emplace_back();
    counted = &cost.multiply_adds;
    value = model.forward_block(i, value);
    counted = nullptr;
    for (const std::size_t own : model.blocks()[i].parameters) {
      cost.parameters += static_cast<double>(model.parameters()[own].numel());
    }
    cost.output = value.sizes().slice(1).vec();
  }
  model.set_training(true);
  at::removeCallback(watch);
  return costs;
}

}  // namespace dlscale::trainer
