// SPDX-License-Identifier: Apache-2.0
// Model from a file that contains a TorchScript module, as written by Python's
// torch.jit.script(…).save().
#pragma once

#include <memory>
#include <string>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// Returns a model of one block with the module's own initial parameters. Runs one pass in
/// evaluation and one in training behaviour as a check. Throws base::RunError
/// (contract::kExitBadRunDescription) in these cases:
/// - The file cannot be read or is not a TorchScript module.
/// - The module has no parameters.
/// - The module does not return samples x classes for the input of the context.
/// - The result of the training pass has no gradient.
///
/// Later passes throw in the same way.
std::unique_ptr<Model> make_script_model(const std::string& file, const ModelContext& context);

}  // namespace dlscale::trainer
