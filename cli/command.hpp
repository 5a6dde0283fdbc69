// SPDX-License-Identifier: Apache-2.0
// One verb of the command line. A new verb is one file here and one word in cli/CMakeLists.txt.
#pragma once

#include <functional>

#include "base/exit_code.hpp"
#include "base/registry.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// What a verb does once its options are parsed; returns the program's exit code.
using Action = std::function<int()>;

struct CommandEntry {
  const char* name;
  const char* summary;  ///< one line for `dlscale --help`
  const char* example;  ///< shown at the end of `dlscale <name> --help`
  /// Declares options and arguments on the verb's sub-command; they must live in the Action.
  Action (*define)(CLI::App& app);
};

base::Table<CommandEntry> command_table();

using base::ExitCode;
using enum base::ExitCode;

}  // namespace dlscale::cli
