// SPDX-License-Identifier: Apache-2.0
// The description of a run that another program did, from what is known of it.
#pragma once

#include <string>

#include "analysis/import/axis_sources.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

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
