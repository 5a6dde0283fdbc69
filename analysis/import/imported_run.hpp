// SPDX-License-Identifier: Apache-2.0
// Builds the description of an imported run from its known axes, and keeps logs with an unknown
// model on separate curves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/import/axis_sources.hpp"
#include "analysis/import/imported_plan.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

// Functions for logs with an unknown model.

/// Axis for runs of a log without a stated model. Its value is the path of the log, so that
/// different logs are neither repetitions of each other nor points of one curve.
inline constexpr const char* kUnknownModel = "unknown_model";

/// Adds the axis kUnknownModel if no source states the model of the log. The value of the axis is
/// the path of the log relative to `above`, so that the value does not depend on the working
/// directory.
void add_unknown_model(MergedAxes& axes, const ImportRecord& record,
                       const std::filesystem::path& above);

/// Returns a warning that states how many logs in the folder have an unknown model and how the user
/// can state the model. Returns an empty text if the folder has fewer than two such logs or if
/// `runs` contains none of these logs. `before` is the content of the folder before the import.
std::string unknown_model_warning(const std::vector<ImportedRun>& runs, const ImportedPlan& before);

// Description of an imported run.

/// Builds the description of a run of `study` from the axes. The id and the repetition are not set.
/// Axes that are also fields of a run description (gpus, model, …) set these fields. All axes
/// together form the point of the run. If no axis states a field, a text stays empty and a number
/// gets the smallest value that a run description allows. `log` is used only in error messages.
/// Throws base::UsageError for an axis with an invalid value.
contract::RunSpec imported_run(const std::string& study, const MergedAxes& axes,
                               const std::string& log);

/// Removes the placeholder values of fields that a run description requires but no source stated.
/// Batch sizes and cores become 0, and the device becomes empty. A stated kind of device, such as
/// "gpu", becomes the device. A stated global batch is kept even if it is not divisible by the
/// number of GPUs. The batch per GPU is 0 in that case.
void keep_what_is_said(contract::RunSpec& run);

/// Parses the repetition that the user or a table states. Throws base::UsageError unless `text` is
/// a whole number of at least 1. The message names `log`.
int stated_repetition(const std::string& text, const std::string& log);

/// Returns the device name of an imported run from its axes `gpu` and `device` ("K80"). Returns an
/// empty text if the axes are missing or state only a kind of device (cpu, gpu, cuda).
std::string device_name(const contract::RunSpec& run);

}  // namespace dlscale::analysis
