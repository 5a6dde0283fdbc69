// SPDX-License-Identifier: Apache-2.0
// Which options of a framework would be without effect in a run.
#pragma once

#include <optional>

#include "validation/misfit.hpp"

namespace dlscale::validation {

/// The first option that differs from its default although the framework, or the stage or
/// compression that the run has, does not heed it.
std::optional<Misfit> find_option_misfit(const contract::RunSpec& run);

}  // namespace dlscale::validation
