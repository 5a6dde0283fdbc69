// SPDX-License-Identifier: Apache-2.0
// Functions that load the weights of a model from a file and that select the weights to save.
#pragma once

#include <string>
#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

// Tensors of a model for which a file of pretrained weights contains values. Only files in models/
// use this struct.

struct Pretrained {
  std::vector<NamedTensor> tensors;  ///< tensors to fill, with their names in the file
  std::string unused;                ///< name prefix of tensors to ignore in the file; empty: none
};

/// Loads weights from a safetensors file, or from a state dictionary in a file of torch.save(), to
/// the model. If the file contains the first name in Model::weights(), all weights are loaded.
/// Otherwise, the tensors of Model::pretrained() are loaded. The file may lack the batch count of a
/// batch norm (num_batches_tracked), and may name the layers of DenseNet as older versions of
/// torchvision do ("norm.1" for "norm1"). Throws base::RunError (contract::kExitBadRunDescription)
/// if the file has another format, is damaged, or contains names, shapes or types that do not match
/// the model. The model is unchanged after an error.
void load_weights(Model& model, const std::string& file);

/// Returns the weights of the model, with their names. `state` is the result of
/// ParallelStyle::state(), which contains the weights among other tensors.
std::vector<NamedTensor> weights_in(const std::vector<NamedTensor>& state);

}  // namespace dlscale::trainer
