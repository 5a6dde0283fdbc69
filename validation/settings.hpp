// SPDX-License-Identifier: Apache-2.0
// Finds settings of a run that conflict or have no effect, independent of the model and the data.
#pragma once

#include <optional>

#include "validation/compatibility.hpp"

namespace dlscale::validation {

// Options of a framework that have no effect in a run.

/// Returns the first framework option that differs from its default although it has no effect. An
/// option has no effect if the framework, the ZeRO stage or the compression of the run does not use
/// it.
std::optional<Conflict> find_option_conflict(const contract::RunSpec& run);

// Settings of a run that conflict, independent of the model and the data.

/// Returns the first setting that makes dlscale-train reject `run` on the device in
/// `run.resources`. `run` must be a run of dlscale-train.
std::optional<Conflict> find_setting_conflict(const contract::RunSpec& run);

/// Returns the reason why the parts of the global batch of `run` must not differ in size
/// (uneven_batch = "spread"), for dlscale-train and for other training programs.
std::optional<Conflict> find_uneven_batch_conflict(const contract::RunSpec& run);

}  // namespace dlscale::validation
