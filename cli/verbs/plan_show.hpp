// SPDX-License-Identifier: Apache-2.0
// Declares `dlscale plan show`, which prints complete run descriptions.
#pragma once

#include "cli/command.hpp"

namespace dlscale::cli {

/// Declares the arguments of `plan show`. The parameters and the result are those of
/// CommandEntry::define.
Action define_plan_show(CLI::App& app);

}  // namespace dlscale::cli
