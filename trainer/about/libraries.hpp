// SPDX-License-Identifier: Apache-2.0
// Finds and checks the shared libraries that this process has loaded.
#pragma once

#include <string>

namespace dlscale::trainer {

/// Returns the path of the MPI library that this process uses. A module of a cluster can replace
/// the library with which the trainer was installed.
std::string mpi_library();

/// Throws base::RunError if the minor version of LibTorch differs from the one that this program
/// was built with. LibTorch's binary interface changes between minor versions.
void require_built_torch();

/// Returns an error message if `loaded` has another minor version than `built`, for example
/// "2.12.1" and "2.11.0". Otherwise returns an empty string. `loaded` is empty for versions before
/// 2.9.
std::string torch_mismatch(const std::string& built, const std::string& loaded);

}  // namespace dlscale::trainer
