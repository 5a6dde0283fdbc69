// SPDX-License-Identifier: Apache-2.0
// Declares `dlscale init study`, which writes a commented example study.
#pragma once

#include "cli/command.hpp"

namespace dlscale::cli {

/// Declares the options of `init study`. The parameters and the result are those of
/// CommandEntry::define.
Action define_init_study(CLI::App& app);

}  // namespace dlscale::cli
