// SPDX-License-Identifier: Apache-2.0
// Declares the entry of a verb. To add a verb, write one file in verbs/ and add one word to
// cli/CMakeLists.txt.
#pragma once

#include <functional>

#include "base/exit_code.hpp"
#include "base/registry.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Action of a verb after its options are parsed. Returns the exit code of the program.
using Action = std::function<int()>;

struct CommandEntry {
  const char* name;
  const char* summary;  ///< one-line description in `dlscale --help`
  const char* example;  ///< example at the end of `dlscale <name> --help`
  /// Declares options and arguments on the verb's sub-command; they must live in the Action.
  Action (*define)(CLI::App& app);
};

base::Table<CommandEntry> command_table();

using base::ExitCode;
using enum base::ExitCode;

}  // namespace dlscale::cli
