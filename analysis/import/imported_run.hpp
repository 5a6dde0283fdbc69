// SPDX-License-Identifier: Apache-2.0
// Builds the description of an imported run from its known axes and keeps logs with an unknown
// model apart.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/import/axis_sources.hpp"
#include "analysis/import/imported_plan.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

// Handling of logs with an unknown model.

/// Axis for runs of a log without a stated model. Its value is the path of the log, so that
/// different logs are neither repetitions of each other nor points of one curve.
inline constexpr const char* kUnknownModel = "unknown_model";

/// Adds the axis kUnknownModel if no source states the model of the log. Its value is the path
/// relative to `above`, so that it does not depend on the working directory.
void add_unknown_model(MergedAxes& axes, const ImportRecord& record,
                       const std::filesystem::path& above);

/// Returns a warning with the number of logs in the folder whose model is unknown and the remedy.
/// Returns an empty text for fewer than two such logs, or if none of them is in `runs`. `before` is
/// the earlier content of the folder.
std::string unknown_model_warning(const std::vector<ImportedRun>& runs, const ImportedPlan& before);

// Description of an imported run.

/// Returns the run of a study that the axes describe, without id and repetition.
/// Axes that are also fields of a run description (gpus, model, …) set these fields. All axes form
/// the point of the run. Unknown texts stay empty, and unknown numbers get the smallest value that
/// a description allows. `log` is used only in error messages. Throws base::UsageError for an axis
/// with an invalid value.
contract::RunSpec imported_run(const std::string& study, const MergedAxes& axes,
                               const std::string& log);

/// Resets fields that a run description requires but no source stated. Batch sizes and cores become
/// 0. The device becomes empty, or the kind that the user stated ("gpu"). A stated global batch is
/// kept even if it is not divisible by the number of GPUs. The batch per GPU is 0 in that case.
void keep_what_is_said(contract::RunSpec& run);

/// Parses the repetition that the user or a table states. Throws base::UsageError, with `log` in
/// the message, for any text other than a whole number of at least 1.
int stated_repetition(const std::string& text, const std::string& log);

/// Returns the device name of an imported run from its axes `gpu` and `device` ("K80"). Returns an
/// empty text if the axes are missing or state only a kind (cpu, gpu, cuda).
std::string device_name(const contract::RunSpec& run);

}  // namespace dlscale::analysis
