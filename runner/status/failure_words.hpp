// SPDX-License-Identifier: Apache-2.0
// Finds the line that states why a program failed in the output of the program, its launcher, the
// batch system and the kernel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::runner {

// Detection of Python tracebacks in the lines of a log. Each traceback ends with an exception.
// Python itself reports some tracebacks as ignored.

enum class TracebackPart {
  none,
  frame,      ///< line inside a traceback: a file name or source code
  exception,  ///< last line of a traceback, whatever name the exception has
  ignored     ///< line of an exception that Python ignored, for example in a destructor
};

/// Returns which part of a traceback each line is. Lines of several ranks may be interleaved if the
/// launcher puts the rank in front of each line.
std::vector<TracebackPart> traceback_parts(const std::vector<std::string_view>& lines);

// Search for the line that states why a program failed.
// The problem: the text mixes thousands of lines from the program, its launcher (srun, mpirun,
// torchrun), the batch system and the kernel. Few lines report errors, and only one line states the
// reason. The last line seldom does, because launchers and other ranks write after the failed rank.
// The idea: a table of known messages states the meaning and the certainty of each message. The
// reason is the most certain line near the end of the text. If several lines have the same high
// certainty, the first line is the reason, because other ranks repeat the error.
// The search ignores two kinds of errors: errors whose message states that the program handled them
// ("retrying"), and errors after which the program continued to train until another exception ended
// it.
// scheduler_error.hpp reads the short output of one command of a batch system, such as sbatch. In
// that output, every line with an error mark belongs to the reason.

/// Certainty with which a line is the reason of a failure. Higher values win.
enum class Certainty {
  none,       ///< text without an informative line
  follow_up,  ///< message that is written while processes are being stopped
  last_line,  ///< last line whose meaning is unknown
  peer,       ///< report that a process lost another process, or that its child failed
  notice,     ///< report of a launcher that a process ended, without the reason
  words,      ///< line that contains a word for an error
  killed,     ///< report of a launcher that names the signal that ended a process
  timeout,    ///< report that a rank waited too long for other ranks
  crash,      ///< report of a program that names the signal it received
  error,      ///< error message of the program itself
  exception,  ///< exception at the end of a Python traceback
  verdict     ///< known cause: memory, time limit, preemption, node or GPU
};

struct FailureWords {
  std::string reason;  ///< single trimmed line, empty without an informative line
  Certainty certainty = Certainty::none;
  std::optional<contract::RunOutcome> outcome;  ///< outcome that the line alone implies
};

/// Returns the line of `text` that best explains a failure. `text` is the end of a log.
FailureWords find_failure(std::string_view text);

}  // namespace dlscale::runner
