// SPDX-License-Identifier: Apache-2.0
// Measurement of the costs of blocks. The code observes the calls of LibTorch's operators, so the
// measurement works for every model.
#include "trainer/models/block_cost.hpp"

#include <ATen/record_function.h>
#include <torch/types.h>

#include <memory>
#include <string_view>
#include <utility>

namespace dlscale::trainer {
namespace {

/// Counter to which the operator calls of this thread add their multiply-adds. Null while calls are
/// not counted.
thread_local double* counted = nullptr;

/// Data of an operator call. The data is collected at the start of the call, because the inputs are
/// not available at the end.
struct Counted : at::ObserverContext {
  explicit Counted(double each, double* outer = nullptr) : each(each), outer(outer) {}
  double each;    ///< multiply-adds per output value
  double* outer;  ///< counter to restore after the call; null if nested calls are counted
};

/// Returns the data of a convolution or matrix product, and null for other calls. Each output value
/// of a convolution needs as many multiply-adds as a filter has weights. Each output value of a
/// matrix product needs as many multiply-adds as a row of the first matrix has values.
std::unique_ptr<at::ObserverContext> begin_call(const at::RecordFunction& call) {
  const std::string_view name = call.name();
  const auto input = [&](std::size_t i) { return call.inputs()[i].toTensor(); };
  if (counted == nullptr) return nullptr;
  const bool is_ours =
      name == "dlscale::convolution";  // Winograd kernel, whose inner operators are not counted
  if (is_ours || name == "aten::convolution") {
    const at::Tensor weight = input(1);
    return std::make_unique<Counted>(static_cast<double>(weight.numel() / weight.size(0)),
                                     is_ours ? std::exchange(counted, nullptr) : nullptr);
  }
  if (name == "aten::addmm")
    return std::make_unique<Counted>(static_cast<double>(input(1).size(-1)));
  if (name == "aten::mm" || name == "aten::bmm") {
    return std::make_unique<Counted>(static_cast<double>(input(0).size(-1)));
  }
  return nullptr;
}

void end_call(const at::RecordFunction& call, at::ObserverContext* context) {
  if (context == nullptr) return;
  const auto& begun = *static_cast<Counted*>(context);
  if (begun.outer != nullptr) counted = begun.outer;
  if (counted == nullptr) return;
  const auto values = static_cast<double>(call.outputs()[0].toTensor().numel());
  *counted += values * begun.each;
}

}  // namespace

std::vector<BlockCost> measure_blocks(Model& model, const std::vector<std::int64_t>& input) {
  const at::NoGradGuard no_gradients;
  const at::Tensor& parameter = model.parameters().front();
  std::vector<std::int64_t> shape{1};
  shape.insert(shape.end(), input.begin(), input.end());
  at::Tensor value = at::zeros(shape, parameter.options().requires_grad(false));
  const auto watch = at::addThreadLocalCallback(at::RecordFunctionCallback(begin_call, end_call)
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
    cost.type = value.scalar_type();
  }
  model.set_training(true);
  at::removeCallback(watch);
  return costs;
}

}  // namespace dlscale::trainer
