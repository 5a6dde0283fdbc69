// SPDX-License-Identifier: Apache-2.0
// Which data, loaders, models and settings of a run do not go together.
#pragma once

#include <optional>
#include <string>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::validation {

/// Something that cannot work, or would be without effect.
struct Misfit {
  std::string key;     ///< in run.json
  std::string reason;  ///< what is wrong with its value
  bool operator==(const Misfit&) const = default;
};

/// The first that `build` refuses in `run`, a run of dlscale-train. Nothing is found where `build`
/// has no traits of the model, data set or loader.
std::optional<Misfit> find_misfit(const contract::Capabilities& build,
                                  const contract::RunSpec& run);

}  // namespace dlscale::validation
