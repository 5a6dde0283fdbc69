// SPDX-License-Identifier: Apache-2.0
// Repetitions beyond the first ones: submitted one at a time, as long as an efficiency is less
// certain than the study wants.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "cli/launching.hpp"
#include "cli/selection.hpp"

namespace dlscale::cli {

/// Asked when all that was submitted has ended: the next repetitions among `selected`, none when
/// every point is certain enough or has had the most repetitions. Empty where the study asks for
/// no certainty. `place` must outlive it.
std::function<std::set<std::string>()> more_repeats(const LaunchFolder& place, RunIds selected);

/// Leaves those that are not repetitions beyond the first ones.
RunIds without_more_repeats(const contract::Plan& plan, const RunIds& selected);

}  // namespace dlscale::cli
