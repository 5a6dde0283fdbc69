// SPDX-License-Identifier: Apache-2.0
// Checks a run before training. `dlscale plan` and the trainer share these checks, so `dlscale
// plan` can warn about runs that the trainer would reject.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "validation/compatibility.hpp"

namespace dlscale::validation {

/// Name in a run description that the build of dlscale-train must support.
struct RequiredName {
  std::string family;  ///< family of the name in Capabilities::families
  std::string key;     ///< key of the name in run.json
  std::string name;
};

/// Returns the names in `run` that `build` does not support.
std::vector<RequiredName> missing_names(const contract::Capabilities& build,
                                        const contract::RunSpec& run);

/// Returns the first reason why `build` rejects `run`, a run of dlscale-train. `build` must support
/// all names in `run`. Properties that are known only on the machine of the run are not checked:
/// data, weights and scripts in files, names of frozen parameters, GPUs and memory.
std::optional<Conflict> find_refusal(const contract::Capabilities& build,
                                     const contract::RunSpec& run);

/// Returns a condition that the data must meet so that `run` can start, as text for messages. Only
/// one kind of run has such a condition: a run that reads image files into memory without
/// dataset.image_size. All images must then have the same size. Returns an empty text for other
/// runs.
std::string data_condition(const contract::Capabilities& build, const contract::RunSpec& run);

}  // namespace dlscale::validation
