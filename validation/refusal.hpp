// SPDX-License-Identifier: Apache-2.0
// Why dlscale-train refuses a run before it trains: the checks that `dlscale plan` and the trainer
// share, so that no run is planned without a warning and refused later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "validation/misfit.hpp"

namespace dlscale::validation {

/// A name in a run description that the trainer must have.
struct RequiredName {
  std::string family;  ///< as in Capabilities::families
  std::string key;     ///< in run.json
  std::string name;
};

/// Returns the names in `run` that `build` does not have.
std::vector<RequiredName> missing_names(const contract::Capabilities& build,
                                        const contract::RunSpec& run);

/// Returns the first reason for which `build` refuses `run`, a run of dlscale-train whose names it
/// has. Not covered is what only the machine of the run shows: data, weights and scripts in files,
/// names of frozen parameters, GPUs and memory.
std::optional<Misfit> find_refusal(const contract::Capabilities& build,
                                   const contract::RunSpec& run);

/// Returns what must be true of the data for `run` to start; empty where its description says
/// enough. The one case is a data set of image files that are read into memory without
/// dataset.image_size: they must all have one size.
std::string data_condition(const contract::Capabilities& build, const contract::RunSpec& run);

}  // namespace dlscale::validation
