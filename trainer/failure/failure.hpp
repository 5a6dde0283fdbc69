// SPDX-License-Identifier: Apache-2.0
// What an exception means for the launch it ended.
#pragma once

#include <exception>
#include <string>

#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

struct Failure {
  std::string message;  ///< one line
  int exit_code = 1;
  contract::RunOutcome outcome = contract::RunOutcome::Failed;
};

Failure failure_of(const std::exception& error);

}  // namespace dlscale::trainer
