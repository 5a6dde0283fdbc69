// SPDX-License-Identifier: Apache-2.0
// Which settings of a run do not go together, whatever its model and data.
#pragma once

#include <optional>

#include "validation/misfit.hpp"

namespace dlscale::validation {

/// The first that dlscale-train refuses in `run`, a run of its own, on the device of its resources.
std::optional<Misfit> find_setting_misfit(const contract::RunSpec& run);

}  // namespace dlscale::validation
