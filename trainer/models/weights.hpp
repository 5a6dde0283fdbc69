// SPDX-License-Identifier: Apache-2.0
// Weights of a model from a file and into one.
#pragma once

#include <string>
#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

// Private to models/*.cpp: what a file of weights that others have trained fills.

struct Pretrained {
  std::vector<NamedTensor> tensors;  ///< by the names that the file has for them
  std::string unused;  ///< tensors whose names begin so may be in the file; empty: none
};

/// Fills the model from a safetensors file: all its weights where the file has their names, else
/// Model::pretrained(). A batch norm's count of batches may be missing. Throws base::RunError
/// (contract::kExitBadRunDescription) for a file that is none and for names, shapes and types that
/// do not fit; the model is then as it was.
void load_weights(Model& model, const std::string& file);

/// Of what ParallelStyle::state() returned the model's weights, by their names.
std::vector<NamedTensor> weights_in(const std::vector<NamedTensor>& state);

}  // namespace dlscale::trainer
