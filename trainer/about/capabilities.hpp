// SPDX-License-Identifier: Apache-2.0
// Versions and capabilities of this build. The capabilities come from the tables of components,
// such as the tables of loaders and optimizers.
#pragma once

#include <map>
#include <string>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

// Versions with which this dlscale-train was built.

/// Returns the properties of this build under the keys torch, mpi, cuda, compiler, build_type and
/// sanitizer. The value of a component that the build does not contain is "no".
std::map<std::string, std::string> built_with();

/// Opens NVIDIA DALI. Returns the version and the location of DALI on this machine. If DALI cannot
/// be opened, returns "no: " followed by the reason.
std::string dali_here();

// Capabilities of this build, collected from the tables of components.

contract::Capabilities capabilities();

/// Throws base::SpecError when `spec` needs a feature that is not available in this build or on
/// this machine. The error message names the run description `file`, the key in the file, and the
/// available alternatives.
void require_available(const contract::RunSpec& spec, const std::string& file);

}  // namespace dlscale::trainer
