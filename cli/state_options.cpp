// SPDX-License-Identifier: Apache-2.0
#include "cli/state_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/completer.hpp"

namespace dlscale::cli {

void add_state_option(CLI::App& app, StateChoice& choice, const std::string& description) {
  app.add_option("--state", choice.words, description)
      ->type_name(one_of(state_names()))
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace dlscale::cli
