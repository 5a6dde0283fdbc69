// SPDX-License-Identifier: Apache-2.0
// Declares --json for the sub-commands that act on runs.
#pragma once

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dlscale::cli {

/// Declares --json. `wanted` must outlive the parsing of the command line.
CLI::Option* add_verb_json_option(CLI::App& app, bool& wanted);

}  // namespace dlscale::cli
