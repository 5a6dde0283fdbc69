// SPDX-License-Identifier: Apache-2.0
// A writer of files with TorchScript modules, as Python saves them.
#pragma once

#include <filesystem>
#include <string>

namespace dlscale::test {

/// Saves a module with two linear layers. Their parameters are "hidden" with shape `inputs` x 32
/// and "scores" with shape 32 x `outputs`. `forward` is the TorchScript of the module. An empty
/// `forward` selects a classifier.
void save_script(const std::filesystem::path& file, int inputs, int outputs,
                 const std::string& forward = "");

}  // namespace dlscale::test
