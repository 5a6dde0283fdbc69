// SPDX-License-Identifier: Apache-2.0
// Variables in a data set's path, so that one run description serves machines with different disks.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace dlscale::trainer {

/// The value of a variable, or null when it is not set; ::getenv is one.
using VariableLookup = std::function<const char*(const char* name)>;

/// Replaces $NAME and ${NAME}. Throws base::RunError (contract::kExitData) for a variable that is
/// not set and for a `$` that no name follows.
std::string expand_variables(std::string_view path, const VariableLookup& lookup);

}  // namespace dlscale::trainer
