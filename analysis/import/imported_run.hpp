// SPDX-License-Identifier: Apache-2.0
// The description of a run that another program did, from what is known of it; logs whose model
// nobody states are kept apart.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/import/axis_sources.hpp"
#include "analysis/import/imported_plan.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

// Keeps logs apart whose model nobody states.

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

// The description of a run that another program did, from what is known of it.

/// The run of a study that these axes describe; its id and repetition are still to be given. Names
/// that descriptions have (gpus, model, …) are taken from the axes, all axes are its point. What
/// nobody says stays empty, and of numbers the least that a description may have. `log` is named in
/// messages. Throws base::UsageError for an axis whose value cannot be.
contract::RunSpec imported_run(const std::string& study, const MergedAxes& axes,
                               const std::string& log);

/// Takes out what descriptions must have although nobody said it: batches and cores become 0, the
/// device empty, or the kind in the user's word ("gpu"). A global batch counts as said even where
/// the GPUs could not share it evenly; there is no batch of a GPU then.
void keep_what_is_said(contract::RunSpec& run);

/// The number of a repetition as the user or a table states it. Throws base::UsageError, which
/// names `log`, for another text than a whole number of at least 1.
int stated_repetition(const std::string& text, const std::string& log);

/// What the device of an imported run is called, by its axes `gpu` and `device` ("K80"); empty
/// where nobody names it, or no more than its kind (cpu, gpu, cuda).
std::string device_name(const contract::RunSpec& run);

}  // namespace dlscale::analysis
