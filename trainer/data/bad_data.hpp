// SPDX-License-Identifier: Apache-2.0
// How data that cannot be trained on are refused.
#pragma once

#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

[[noreturn]] inline void refuse_data(const std::string& message) {
  throw base::RunError(message, contract::kExitData);
}

}  // namespace dlscale::trainer
