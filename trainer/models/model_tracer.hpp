// SPDX-License-Identifier: Apache-2.0
// Tracer that measures the FLOPs, the memory traffic and the saved memory of each operator of a
// model by running the model forward and backward.
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
/// Forward pass of the model, possibly with reduced precision.
using ForwardPass = std::function<at::Tensor(const at::Tensor& batch)>;

/// Returns the cost of each operator of the model, in the order of the forward pass. Runs two
/// batches forward and backward in training behaviour and observes LibTorch's operators, so the
/// function supports every model. Omits views, and operators that neither depend on the batch size
/// nor read parameters. Works on the CPU only. Clears all gradients and changes running statistics.
/// Throws base::RunError for a model whose operators depend on the batch size.
std::vector<contract::LayerCard> walk_model(Model& model, const MakeBatch& make_batch,
                                            const ForwardPass& forward);

}  // namespace dlscale::trainer
