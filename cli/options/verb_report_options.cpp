// SPDX-License-Identifier: Apache-2.0
#include "cli/options/verb_report_options.hpp"

#include <CLI/CLI.hpp>

namespace dlscale::cli {

CLI::Option* add_verb_json_option(CLI::App& app, bool& wanted) {
  return app.add_flag(
      "--json", wanted,
      "print a JSON object to standard output at the end, and messages to standard error");
}

}  // namespace dlscale::cli
