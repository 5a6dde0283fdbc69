// SPDX-License-Identifier: Apache-2.0
// Starts, observes and signals processes for job schedulers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/batch/clean_environment.hpp"
#include "runner/batch/retry_policy.hpp"

namespace dlscale::runner {

struct Command {
  /// Program and its arguments. The program is searched in PATH.
  std::vector<std::string> arguments;
  std::filesystem::path folder;  ///< working directory
  /// Files for standard output and standard error, emptied at the start.
  std::filesystem::path out, err = {};
  Environment environment = {};  ///< variables added to the environment of the runner
  /// Open descriptors that the process inherits, with the same numbers.
  std::vector<int> keep_open = {};
};

struct ExitStatus {
  int exit_code = 0;  ///< exit code, meaningless after a signal
  int signal = 0;     ///< signal that ended the process, 0 = none
  bool operator==(const ExitStatus&) const = default;
};

using ProcessId = int;

/// Output and exit status of a command.
struct Answer {
  std::optional<ExitStatus> end;  ///< exit status, empty after a timeout
  std::string out, err;
  ProcessId process = 0;
};

/// Resources that a process used, including the resources of those children that the process waited
/// for.
struct ProcessUsage {
  double cpu_s = 0;
  std::int64_t peak_memory_bytes = 0;  ///< memory of the process that used the most memory
};

class CommandRunner {
 public:
  virtual ~CommandRunner() = default;
  /// Starts a process with empty input as the leader of its own process group. Ctrl-C on the
  /// terminal therefore does not reach the process, and the whole group can be killed. The process
  /// does not inherit blocked signals, nor ignored signals that job scripts trap. Throws
  /// base::RunError if the program, the folder or a file cannot be used.
  virtual ProcessId start(const Command& command) = 0;
  /// Runs a process to its end, for at most `timeout_s` seconds. The answer contains the output,
  /// and no files are written. A process that takes longer is killed. A process that runs as
  /// another user, such as a command of OAR, cannot be killed. It continues, and wait() reports its
  /// end. Throws the errors of start().
  virtual Answer run(const Command& command, double timeout_s) = 0;
  /// Waits up to `timeout_s` seconds for a started process. A timeout of 0 only checks the process.
  /// Returns nullopt while the process runs. After its end, returns the same status in every call.
  virtual std::optional<ExitStatus> wait(ProcessId process, double timeout_s) = 0;
  /// Returns the resources that an ended process used.
  virtual ProcessUsage usage(ProcessId process) = 0;
  /// Sends a signal to this process alone. signal() and kill_group() ignore a process that has
  /// ended.
  virtual void signal(ProcessId process, int signal) = 0;
  /// Sends SIGKILL to the group that the process leads, or to the process if it leads no group.
  virtual void kill_group(ProcessId process) = 0;
  /// Returns this user's running processes that were started with `entry` ("NAME=value") in their
  /// environment, in the order of their ids. Descendants inherit the environment, so they are found
  /// in any process group.
  virtual std::vector<ProcessId> find_by_environment(const std::string& entry) = 0;
};

/// Returns a runner for real processes of this machine. Processes continue to run after the runner
/// is destroyed. Every process gets `environment`. Without this argument, every process gets the
/// environment of this program without the variables that clean_environment() removes.
std::unique_ptr<CommandRunner> make_command_runner();
std::unique_ptr<CommandRunner> make_command_runner(CleanEnvironment environment);

// Queries to the programs of a batch system, with a time limit.

/// Runs a command of a batch system. The exit status in the answer is never empty. Throws
/// SchedulerUnreachable if the command takes longer than `timeout_s`.
Answer ask_program(CommandRunner& commands, const Command& command, double timeout_s);

/// Returns the first line that is not blank, or an empty string.
std::string first_line(std::string_view text);

}  // namespace dlscale::runner
