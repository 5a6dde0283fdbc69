// SPDX-License-Identifier: Apache-2.0
// Starting, watching and signalling processes; nothing else in the project spawns any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/batch/clean_environment.hpp"
#include "runner/batch/patience.hpp"

namespace dlscale::runner {

struct Command {
  std::vector<std::string> arguments;   ///< the first is looked up in PATH
  std::filesystem::path folder;         ///< working directory
  std::filesystem::path out, err = {};  ///< emptied, then written by the process
  Environment environment = {};         ///< added to what every process of the runner gets
  std::vector<int> keep_open = {};      ///< descriptors that it gets, too, under the same numbers
};

struct ExitStatus {
  int exit_code = 0;  ///< meaningless when a signal ended the process
  int signal = 0;     ///< the signal that ended it; 0 = it ended by itself
  bool operator==(const ExitStatus&) const = default;
};

using ProcessId = int;

/// What a command said until its end.
struct Answer {
  std::optional<ExitStatus> end;  ///< empty: it did not end in time
  std::string out, err;
  ProcessId process = 0;
};

/// What a process took, with all those it waited for.
struct ProcessUsage {
  double cpu_s = 0;
  std::int64_t peak_memory_bytes = 0;  ///< of the largest of these processes
};

class CommandRunner {
 public:
  virtual ~CommandRunner() = default;
  /// Starts a process with empty input as the leader of a process group of its own, so that a
  /// Ctrl-C on the terminal does not reach it and the whole group can be killed.
  /// Throws base::RunError when the program, the folder or a file cannot be used.
  virtual ProcessId start(const Command& command) = 0;
  /// Runs a process to its end, for at most `timeout_s` seconds; its output is in the answer
  /// instead of in files. One that takes longer is killed, unless it runs as another user: that one
  /// goes on, and `wait` says when it has ended. Throws as `start` does.
  virtual Answer run(const Command& command, double timeout_s) = 0;
  /// Waits up to `timeout_s` seconds (0: only looks) for a process that `start` gave.
  /// Empty while it runs; afterwards always the same answer.
  virtual std::optional<ExitStatus> wait(ProcessId process, double timeout_s) = 0;
  /// Of a process that has ended.
  virtual ProcessUsage usage(ProcessId process) = 0;
  /// To this process alone. One already gone is passed over, here and below.
  virtual void signal(ProcessId process, int signal) = 0;
  /// SIGKILL to the group that the process leads; if it leads none, to the process.
  virtual void kill_group(ProcessId process) = 0;
  /// This user's living processes that were started with `entry` ("NAME=value") in their
  /// environment: descendants are found wherever they moved. In order of their ids.
  virtual std::vector<ProcessId> find_by_environment(const std::string& entry) = 0;
};

/// Starts real processes of this machine. Those still running when it is destroyed go on running.
/// Every process gets `environment`, without which it is this program's own, cleaned for this
/// machine.
std::unique_ptr<CommandRunner> make_command_runner();
std::unique_ptr<CommandRunner> make_command_runner(CleanEnvironment environment);

// How programs of a batch system are asked: not for ever.

/// Runs a command of a batch system; the answer has an end. Throws Unreachable when it takes longer
/// than `timeout_s`.
Answer ask_program(CommandRunner& commands, const Command& command, double timeout_s);

/// The first line with something on it; empty if there is none.
std::string first_line(std::string_view text);

}  // namespace dlscale::runner
