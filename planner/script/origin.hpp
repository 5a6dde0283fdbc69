// SPDX-License-Identifier: Apache-2.0
// Finds the key of the study or of the site from which a value in a job script comes.
#pragma once

#include <cstddef>

#include "planner/jobs/plan_jobs.hpp"
#include "planner/script/shell_text.hpp"

namespace dlscale::planner {

/// Returns the error with another place: the key of the study or site that set the rejected value.
/// Returns the error unchanged if the value does not come from a key.
base::SpecError at_origin(const UnfitValue& error, const Planning& planning, std::size_t job);

}  // namespace dlscale::planner
