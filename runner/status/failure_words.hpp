// SPDX-License-Identifier: Apache-2.0
// Finds the line that states why a program failed. The line may come from the program, its
// launcher, the batch system or the kernel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::runner {

// Detection of Python tracebacks in the lines of a log. Each traceback ends with an exception. Some
// tracebacks have no effect, because Python ignores their exception.

enum class TracebackPart {
  none,
  frame,      ///< line inside a traceback: a file name or source code
  exception,  ///< last line of a traceback, with an exception of any name
  ignored     ///< line of an exception that Python ignored, for example in a destructor
};

/// Returns, for each line, which part of a traceback the line is. Lines of several ranks may be
/// mixed if the launcher puts the rank in front of each line.
std::vector<TracebackPart> traceback_parts(const std::vector<std::string_view>& lines);

// Search for the line that states why a program failed.
// The problem: the text mixes thousands of lines from the program, its launcher (srun, mpirun,
// torchrun), the batch system and the kernel. Few lines report errors, and only one line states the
// reason. The last line seldom states the reason, because launchers and other ranks write after the
// failed rank.
// The idea: a table of known messages gives the meaning and the certainty of each message. The
// reason is the most certain line near the end of the text. If several lines have the same high
// certainty, the first of them is the reason, because other ranks repeat the error.
// The search ignores two kinds of errors: errors whose message states that the program handled them
// ("retrying"), and errors after which the program continued to train until another exception ended
// it.
// For the short output of a single command of a batch system, such as sbatch, see
// scheduler_error.hpp. In that output, every line with an error mark belongs to the reason.

/// Certainty that a line states the reason of a failure. The line with the highest value is the
/// reason.
enum class Certainty {
  none,       ///< text without an informative line
  follow_up,  ///< message that is written while processes are being stopped
  last_line,  ///< last line of the text, with unknown meaning
  peer,       ///< report of a process that lost another process or whose child failed
  notice,     ///< report of a launcher that a process ended, without the reason
  words,      ///< line that contains a word for an error
  killed,     ///< report of a launcher that names the signal that ended a process
  timeout,    ///< report that a rank waited too long for other ranks, or could not reach them
  crash,      ///< report of a program that names the signal it received
  error,      ///< error message of the program itself
  exception,  ///< exception at the end of a Python traceback
  verdict     ///< known cause: memory, time limit, preemption, node or GPU
};

struct FailureWords {
  std::string reason;  ///< single line without surrounding spaces; empty if no line is informative
  Certainty certainty = Certainty::none;
  std::optional<contract::RunOutcome> outcome;  ///< outcome of the run, if the line determines it
};

/// Returns the line of `text` that best explains a failure. `text` is the end of a log.
FailureWords find_failure(std::string_view text);

/// Returns the error of a shell without the name of the script and the number of the line before
/// it: "a: No such file" for "job.sh: line 12: a: No such file". Returns other lines unchanged.
std::string_view without_shell_place(std::string_view line);

/// Returns the last line of `text` that the program itself wrote, without surrounding spaces. Skips
/// tracebacks, warnings of Python, and the messages with which launchers and batch systems report
/// that a process ended. Returns an empty text if there is no such line.
std::string last_own_line(std::string_view text);

}  // namespace dlscale::runner
