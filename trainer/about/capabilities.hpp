// SPDX-License-Identifier: Apache-2.0
// What this build can do, from the tables of its families.
#pragma once

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

contract::Capabilities capabilities();

/// Throws base::SpecError, naming `file`, the key and what there is instead, when `spec` asks for
/// something this build lacks.
void require_available(const contract::RunSpec& spec, const std::string& file);

}  // namespace dlscale::trainer
