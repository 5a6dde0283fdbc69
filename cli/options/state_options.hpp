// SPDX-License-Identifier: Apache-2.0
// --state: the option that chooses runs by how far they are, the same on every verb.
#pragma once

#include <string>

#include "workspace/runs/state_choice.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares --state. `choice` must outlive the parsing.
void add_state_option(CLI::App& app, workspace::StateChoice& choice,
                      const std::string& description);

}  // namespace dlscale::cli
