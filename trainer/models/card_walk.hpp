// SPDX-License-Identifier: Apache-2.0
// What each operator of a model computes, moves and keeps, found by running it forward and
// backward.
#pragma once

#include <functional>
#include <vector>

#include "contract/records/model_card.hpp"
#include "trainer/models/model.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// A batch of so many samples, made anew.
using MakeBatch = std::function<at::Tensor(std::int64_t samples)>;
/// The forward pass: the model's own, perhaps in fewer bits.
using ForwardPass = std::function<at::Tensor(const at::Tensor& batch)>;

/// Two batches go through the model in training behaviour and back, and LibTorch's operators are
/// watched: whatever a model is written with is counted. Views, and what does not depend on the
/// batch and reads no parameters, are left out. On the processor only; gradients are gone
/// afterwards, running statistics have moved. Throws base::RunError for a model whose operators
/// depend on the batch.
std::vector<contract::LayerCard> walk_model(Model& model, const MakeBatch& make_batch,
                                            const ForwardPass& forward);

}  // namespace dlscale::trainer
