// SPDX-License-Identifier: Apache-2.0
// Which key of the study or the site gave a value of a job script.
#pragma once

#include <cstddef>

#include "planner/jobs/plan_jobs.hpp"
#include "planner/script/shell_text.hpp"

namespace dlscale::planner {

/// The error at the key that gave the value to a directive; as it is where the value is of no key.
base::SpecError at_origin(const UnfitValue& error, const Planning& planning, std::size_t job);

}  // namespace dlscale::planner
