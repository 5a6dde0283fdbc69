// SPDX-License-Identifier: Apache-2.0
// Model that is loaded from a file with a TorchScript module. Python code writes such a file with
// torch.jit.script(…).save().
#pragma once

#include <memory>
#include <string>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// Returns a model of one block. The initial parameters of the model are the parameters in the
/// file. As a check, the function runs one pass in evaluation mode and one pass in training mode.
/// It throws base::RunError (contract::kExitBadRunDescription) in these cases:
/// - The file cannot be read or is not a TorchScript module.
/// - The module has no parameters.
/// - The module does not return scores of the shape samples x classes for the input that the
///   context describes.
/// - The result of the training pass does not require a gradient.
///
/// A forward pass of the returned model throws base::RunError with the same exit code if the module
/// fails in that pass.
std::unique_ptr<Model> make_script_model(const std::string& file, const ModelContext& context);

}  // namespace dlscale::trainer
