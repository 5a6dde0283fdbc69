// SPDX-License-Identifier: Apache-2.0
// Records from which study file and changes a plan is made, and finds what the copy of a study in
// a plan folder lacks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Returns the origin of a plan of the study for the plan folder `folder`, if the folder is known.
/// `overrides` are the changes from the command line, each as KEY=VALUE. If the study is the copy
/// in this folder, the plan keeps the original study file and its named files. The plan then also
/// keeps the earlier changes that the copy contains, unless `overrides` sets the same keys.
contract::PlanOrigin origin_of(const Study& study, const std::vector<std::string>& overrides,
                               const std::optional<contract::PlanDir>& folder);

/// Returns a warning for each of the following problems. Only the study.toml of a plan folder can
/// have these problems, because the function compares the study with the plan.json next to it.
/// - The command or environment_setup contains a word that named a file next to the original study,
///   and no such file is next to this copy. The words of both studies are compared as texts.
/// - The plan was made with changes from the command line. The copy does not contain the changes,
///   and `overrides` does not set the same keys.
std::vector<std::string> copy_warnings(const Study& study,
                                       const std::vector<std::string>& overrides);

}  // namespace dlscale::planner
