// SPDX-License-Identifier: Apache-2.0
// Files with TorchScript modules, as Python saves them.
#pragma once

#include <filesystem>
#include <string>

namespace dlscale::test {

/// Saves a module with two linear layers of `inputs` x 32 and 32 x `outputs` parameters called
/// "hidden" and "scores", whose TorchScript is `forward`; "" is that of a classifier.
void save_script(const std::filesystem::path& file, int inputs, int outputs,
                 const std::string& forward = "");

}  // namespace dlscale::test
