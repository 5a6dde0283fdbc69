// SPDX-License-Identifier: Apache-2.0
// Tracer that measures the FLOPs, the memory traffic and the saved memory of each operator of a
// model. It runs the model forward and backward and observes the operators.
#pragma once

#include <functional>
#include <vector>

#include "contract/records/model_card.hpp"
#include "trainer/models/model.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Function that creates a new batch with `samples` samples.
using MakeBatch = std::function<at::Tensor(std::int64_t samples)>;
/// Function that runs the forward pass of the model, possibly with reduced precision.
using ForwardPass = std::function<at::Tensor(const at::Tensor& batch)>;

/// Operator of a model with its cost.
struct TracedLayer {
  contract::LayerCard card;
  std::size_t call = 0;  ///< number of operators that the forward pass calls before this one
  std::vector<at::Tensor> parameters;  ///< parameters that no earlier layer reads
};

/// Returns the operators of the model with their costs, in the order of the forward pass. Runs two
/// batches of different sizes forward and backward in training mode.
/// - The function observes LibTorch's operators, so it supports every model.
/// - The result does not contain views. It also does not contain operators that read no parameters
///   and whose cost does not depend on the batch size.
/// - The function works on the CPU only. It clears all gradients and changes running statistics.
/// - The function throws base::RunError if the model runs different operators for different batch
///   sizes.
std::vector<TracedLayer> trace_layers(Model& model, const MakeBatch& make_batch,
                                      const ForwardPass& forward);

/// Returns the costs that trace_layers() finds.
std::vector<contract::LayerCard> walk_model(Model& model, const MakeBatch& make_batch,
                                            const ForwardPass& forward);

}  // namespace dlscale::trainer
