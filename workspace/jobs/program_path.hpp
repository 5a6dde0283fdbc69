// SPDX-License-Identifier: Apache-2.0
// Finds the file of the running program.
#pragma once

#include <filesystem>

namespace dlscale::workspace {

/// Returns the absolute path of the running program, with symbolic links resolved. Uses /proc, and
/// without /proc the path with which the program was started. Throws base::RunError if neither
/// leads to the program.
std::filesystem::path program_path();

}  // namespace dlscale::workspace
