// SPDX-License-Identifier: Apache-2.0
// Which settings of a run do not go together or would be without effect, whatever its model and
// data.
#pragma once

#include <optional>

#include "validation/misfit.hpp"

namespace dlscale::validation {

// Which options of a framework would be without effect in a run.

/// The first option that differs from its default although the framework, or the stage or
/// compression that the run has, does not heed it.
std::optional<Misfit> find_option_misfit(const contract::RunSpec& run);

// Which settings of a run do not go together, whatever its model and data.

/// The first that dlscale-train refuses in `run`, a run of its own, on the device of its resources.
std::optional<Misfit> find_setting_misfit(const contract::RunSpec& run);

}  // namespace dlscale::validation
