// SPDX-License-Identifier: Apache-2.0
// Keeps logs apart whose model nobody states.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/import/axis_sources.hpp"
#include "analysis/import/imported_plan.hpp"

namespace dlscale::analysis {

/// Axis of the runs of a log whose model nobody states: the path of the log. Different logs have
/// different values, so that they are neither repetitions of each other nor points of one curve.
inline constexpr const char* kUnknownModel = "unknown_model";

/// Adds the axis where no source states the model of the log. Its value is the path as seen from
/// `above`, so that it does not depend on where the command runs.
void add_unknown_model(MergedAxes& axes, const ImportRecord& record,
                       const std::filesystem::path& above);

/// States how many logs of the folder have an unknown model and what to do; empty for fewer than
/// two, and where none of them is in `runs`. `before` is what the folder had.
std::string unknown_model_warning(const std::vector<ImportedRun>& runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
