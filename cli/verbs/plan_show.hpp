// SPDX-License-Identifier: Apache-2.0
// Declares `dlscale plan show`, which prints complete run descriptions.
#pragma once

#include "cli/command.hpp"

namespace dlscale::cli {

/// Declares the arguments of `plan show` on its sub-command, as CommandEntry::define does.
Action define_plan_show(CLI::App& app);

}  // namespace dlscale::cli
