// SPDX-License-Identifier: Apache-2.0
// Whether the settings of a run's recipe fit each other and what is trained.
#pragma once

#include <string>

#include "contract/run_spec.hpp"

namespace dlscale::trainer {

/// Throws base::SpecError, naming `file` and the key, for settings that would be without effect or
/// cannot work. The names in `spec` are known.
void require_recipe_fit(const contract::RunSpec& spec, const std::string& file);

}  // namespace dlscale::trainer
