// SPDX-License-Identifier: Apache-2.0
// Defines the entry of a sub-command of dlscale. To add a sub-command, write one file in verbs/ and
// add its name to cli/CMakeLists.txt.
#pragma once

#include <functional>

#include "base/exit_code.hpp"
#include "base/registry.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Function that does the work of a sub-command after the options are parsed. It returns the exit
/// code of the program.
using Action = std::function<int()>;

struct CommandEntry {
  const char* name;
  const char* summary;  ///< one-line description of the sub-command in `dlscale --help`
  const char* example;  ///< example at the end of `dlscale <name> --help`
  /// Function that declares the options and arguments of the sub-command in `app`. The returned
  /// Action must own the variables to which they are parsed.
  Action (*define)(CLI::App& app);
};

base::Table<CommandEntry> command_table();

using base::ExitCode;
using enum base::ExitCode;

}  // namespace dlscale::cli
