// SPDX-License-Identifier: Apache-2.0
// What this dlscale-train was built with.
#pragma once

#include <map>
#include <string>

namespace dlscale::trainer {

/// Keys: torch, mpi, cuda, compiler, build_type, sanitizer. "no" is a value.
std::map<std::string, std::string> built_with();

/// NVIDIA DALI on this machine: version and place, or "no: " and why. Opens it.
std::string dali_here();

}  // namespace dlscale::trainer
