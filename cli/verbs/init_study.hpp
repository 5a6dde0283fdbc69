// SPDX-License-Identifier: Apache-2.0
// `dlscale init study`: a study to start from, every section explained.
#pragma once

#include "cli/command.hpp"

namespace dlscale::cli {

/// Declares the options of `init study` on its sub-command, as CommandEntry::define does.
Action define_init_study(CLI::App& app);

}  // namespace dlscale::cli
