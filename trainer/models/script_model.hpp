// SPDX-License-Identifier: Apache-2.0
// A model that a file holds: a TorchScript module, as Python's torch.jit.script(…).save() writes
// it.
#pragma once

#include <memory>
#include <string>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// One block with the module's own initial parameters. Throws base::RunError
/// (contract::kExitBadRunDescription) for a file that cannot be read or is none, a module without
/// parameters, and one that does not make samples x classes of the context's input, or in training
/// nothing that has a gradient: both are tried. A later pass throws so as well.
std::unique_ptr<Model> make_script_model(const std::string& file, const ModelContext& context);

}  // namespace dlscale::trainer
