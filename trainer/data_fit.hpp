// SPDX-License-Identifier: Apache-2.0
// Which data, loaders, models and settings go together.
#pragma once

#include <string>

#include "contract/run_spec.hpp"

namespace dlscale::trainer {

/// Of names that this trainer has. Throws base::SpecError with the key and the reason where the
/// model cannot take the data, the loader cannot deliver it, or a setting would mean nothing.
void require_data_fit(const contract::RunSpec& spec, const std::string& file);

}  // namespace dlscale::trainer
