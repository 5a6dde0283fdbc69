// SPDX-License-Identifier: Apache-2.0
// What this build is, and what it can do, from the tables of its families.
#pragma once

#include <map>
#include <string>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

// What this dlscale-train was built with.

/// Keys: torch, mpi, cuda, compiler, build_type, sanitizer. "no" is a value.
std::map<std::string, std::string> built_with();

/// NVIDIA DALI on this machine: version and place, or "no: " and why. Opens it.
std::string dali_here();

// What this build can do, from the tables of its families.

contract::Capabilities capabilities();

/// Throws base::SpecError, naming `file`, the key and what there is instead, when `spec` asks for
/// something this build lacks.
void require_available(const contract::RunSpec& spec, const std::string& file);

}  // namespace dlscale::trainer
