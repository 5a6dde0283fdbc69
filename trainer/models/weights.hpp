// SPDX-License-Identifier: Apache-2.0
// Functions that load the weights of a model from a file and extract them for saving.
#pragma once

#include <string>
#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

// Internal to models/*.cpp: the tensors of a model that a file of pretrained weights fills.

struct Pretrained {
  std::vector<NamedTensor> tensors;  ///< tensors to fill, with their names in the file
  std::string unused;                ///< name prefix of ignored tensors in the file, empty for none
};

/// Fills the model from a safetensors file. Fills all weights when the file has their names, and
/// otherwise the tensors of Model::pretrained(). The batch count of a batch norm may be missing.
/// Throws base::RunError (contract::kExitBadRunDescription) when the file is not a safetensors file
/// and when names, shapes or types do not fit. The model is unchanged after an error.
void load_weights(Model& model, const std::string& file);

/// Returns the weights of the model, with their names, from the result of ParallelStyle::state().
std::vector<NamedTensor> weights_in(const std::vector<NamedTensor>& state);

}  // namespace dlscale::trainer
