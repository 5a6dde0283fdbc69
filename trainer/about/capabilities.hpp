// SPDX-License-Identifier: Apache-2.0
// Versions and capabilities of this build, from the tables of its families.
#pragma once

#include <map>
#include <string>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

// Versions with which this dlscale-train was built.

/// Returns the keys torch, mpi, cuda, compiler, build_type and sanitizer. A missing part has the
/// value "no".
std::map<std::string, std::string> built_with();

/// Opens NVIDIA DALI and returns its version and location on this machine, or "no: " and the
/// reason.
std::string dali_here();

// Capabilities of this build, from the tables of its families.

contract::Capabilities capabilities();

/// Throws base::SpecError when `spec` needs a feature that this build lacks. The error names
/// `file`, the key, and the available alternatives.
void require_available(const contract::RunSpec& spec, const std::string& file);

}  // namespace dlscale::trainer
