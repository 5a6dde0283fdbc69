// SPDX-License-Identifier: Apache-2.0
// Which settings of a run do not go together, whatever its model and data.
#pragma once

#include <optional>

#include "contract/misfit.hpp"

namespace dlscale::contract {

/// The first that dlscale-train refuses in `run`, a run of its own, on the device of its resources.
std::optional<Misfit> find_setting_misfit(const RunSpec& run);

}  // namespace dlscale::contract
