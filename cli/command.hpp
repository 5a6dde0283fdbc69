// SPDX-License-Identifier: Apache-2.0
// One verb of the command line. A new verb is one file here and one word in cli/CMakeLists.txt.
#pragma once

#include <functional>

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

/// Exit codes of `dlscale`; 130 is 128 + SIGINT, as shells use it.
enum ExitCode : int {
  kExitOk = 0,
  kExitRunsFailed = 1,
  kExitUsage = 2,
  kExitNothingMatched = 3,
  kExitSchedulerUnreachable = 4,
  kExitInterrupted = 130,
};

}  // namespace dlscale::cli
