// SPDX-License-Identifier: Apache-2.0
// Declares `dlscale init site`, which writes the site file of the current cluster.
#pragma once

#include "cli/command.hpp"

namespace dlscale::cli {

/// Declares the options of `init site`. The parameters and the result are those of
/// CommandEntry::define.
Action define_init_site(CLI::App& app);

}  // namespace dlscale::cli
