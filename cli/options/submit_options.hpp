// SPDX-License-Identifier: Apache-2.0
// Declares the options of `submit` and `retry`, and --poll of all verbs that follow jobs.
#pragma once

#include "workspace/submitting.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares all options of `submit` and `retry`. `choice` must outlive the parsing.
void add_submit_options(CLI::App& app, workspace::SubmitChoice& choice);

/// Declares --poll.
void add_poll_option(CLI::App& app, double& poll_s);

}  // namespace dlscale::cli
