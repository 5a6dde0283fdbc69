// SPDX-License-Identifier: Apache-2.0
// Variables in the paths that a run reads, so that one description serves machines with different
// disks.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

/// The value of a variable, or null when it is not set; ::getenv is one.
using VariableLookup = std::function<const char*(const char* name)>;

/// Replaces $NAME and ${NAME}. Throws base::RunError with that exit code for a variable that is not
/// set and for a `$` that no name follows; `key` is what of the run description has the path.
std::string expand_variables(std::string_view path, const VariableLookup& lookup,
                             std::string_view key = "dataset.path",
                             int exit_code = contract::kExitData);

}  // namespace dlscale::trainer
