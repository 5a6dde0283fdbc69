// SPDX-License-Identifier: Apache-2.0
#include "cli/options/state_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/options/completer.hpp"

namespace dlscale::cli {

void add_state_option(CLI::App& app, workspace::StateChoice& choice,
                      const std::string& description) {
  app.add_option("--state", choice.words, description)
      ->type_name(one_of(workspace::state_names()))
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace dlscale::cli
