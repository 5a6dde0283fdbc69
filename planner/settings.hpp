// SPDX-License-Identifier: Apache-2.0
// Every key of [training] and every axis of [matrix], one row each.
#pragma once

#include "planner/study.hpp"

namespace dlscale::planner {

/// Keys of [training]; each may also be an axis.
const std::vector<Setting>& training_settings();

/// Keys of [matrix]: the axes proper, then those of [training].
const std::vector<Setting>& axis_settings();

}  // namespace dlscale::planner
