// SPDX-License-Identifier: Apache-2.0
// Declares the options of `dlscale submit` and `dlscale retry`, and the option --poll of all
// sub-commands that follow jobs.
#pragma once

#include "workspace/submitting.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares all options of `dlscale submit` and `dlscale retry`. `choice` must outlive the parsing
/// of the command line.
void add_submit_options(CLI::App& app, workspace::SubmitChoice& choice);

/// Declares --poll, the number of seconds between two queries of the scheduler.
void add_poll_option(CLI::App& app, double& poll_s);

}  // namespace dlscale::cli
