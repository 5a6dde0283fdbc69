// SPDX-License-Identifier: Apache-2.0
// Declares --mtbf and --checkpoint-write, the options for checkpoint intervals.
#pragma once

#include "forecast/checkpoint_advice.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares the options. `question` must outlive the parsing of the command line.
void add_checkpoint_options(CLI::App& app, forecast::CheckpointQuestion& question);

}  // namespace dlscale::cli
