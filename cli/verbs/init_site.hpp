// SPDX-License-Identifier: Apache-2.0
// Declares `dlscale init site`, which writes the site file of the current cluster.
#pragma once

#include "cli/command.hpp"

namespace dlscale::cli {

/// Declares the options of `init site` on its sub-command, as CommandEntry::define does.
Action define_init_site(CLI::App& app);

}  // namespace dlscale::cli
