// SPDX-License-Identifier: Apache-2.0
// Checks a run before training, with checks that `dlscale plan` and the trainer share, so that
// `dlscale plan` warns about the runs that the trainer rejects.
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

/// Returns the names in `run` that `build` does not have.
std::vector<RequiredName> missing_names(const contract::Capabilities& build,
                                        const contract::RunSpec& run);

/// Returns the first reason why `build` rejects `run`. `run` is a run of dlscale-train, and `build`
/// must have all names in `run`. Does not check properties that only the machine of the run shows:
/// data, weights and scripts in files, names of frozen parameters, GPUs and memory.
std::optional<Conflict> find_refusal(const contract::Capabilities& build,
                                     const contract::RunSpec& run);

/// Returns the condition on the data under which `run` can start, as text for messages. Returns an
/// empty text if the run description is sufficient. The only case is a data set of image files that
/// are read into memory without dataset.image_size. All images of such a data set must have the
/// same size.
std::string data_condition(const contract::Capabilities& build, const contract::RunSpec& run);

}  // namespace dlscale::validation
