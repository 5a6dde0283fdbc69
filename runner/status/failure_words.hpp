// SPDX-License-Identifier: Apache-2.0
// Finds the line that says why a program failed in what the program, its launcher, the batch system
// and Python's tracebacks wrote.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::runner {

// Finds the tracebacks of Python in the lines of a log: the exception that each ends with, and the
// tracebacks that Python itself says are ignored.

enum class TracebackPart {
  none,
  frame,      ///< a line within a traceback: a file, a line of source code
  exception,  ///< the line that a traceback ends with, whatever the exception is called
  ignored     ///< belongs to an exception that Python ignored, as in a destructor
};

/// Returns the part of each line. Lines of other ranks may stand between those of a traceback if
/// the launcher puts the rank in front of lines.
std::vector<TracebackPart> traceback_parts(const std::vector<std::string_view>& lines);

// Finds the line that says why a program failed in what the program, its launcher, the batch system
// and the kernel wrote, one after the other or mixed.
// scheduler_error.hpp does the same for the short output of one command of a batch system, such as
// sbatch: there each line with an error mark belongs to the reason. Here thousands of lines come
// from many programs, few of them report errors, and one line is the reason.
// The last line seldom says it: launchers and other ranks write after the rank that failed. A table
// of known messages tells what each line means and how certain it is. The most certain line of the
// end of the text is the reason; among equally certain ones the first, because other ranks follow.
// Two kinds of errors do not count: those whose message says that the program dealt with them
// ("retrying"), and those after which the program trained on until an exception of its own ended
// it.

/// How certain a line is as the reason of a failure; higher values win.
enum class Certainty {
  none,       ///< no line says anything
  follow_up,  ///< is written while processes are stopped
  last_line,  ///< the last line, of which nothing is known
  peer,       ///< a process lost another one, or its child failed
  notice,     ///< a launcher says that a process ended, not why
  words,      ///< a line with a word for errors
  killed,     ///< a launcher names the signal that ended a process
  timeout,    ///< a rank waited for others for too long
  crash,      ///< a program names the signal that it received
  error,      ///< a program's own error message
  exception,  ///< the exception that a traceback of Python ends with
  verdict     ///< memory, time limit, preemption, node or GPU: known as such
};

struct FailureWords {
  std::string reason;  ///< one line, trimmed; empty if no line says anything
  Certainty certainty = Certainty::none;
  std::optional<contract::RunOutcome> outcome;  ///< what the line alone says about the run
};

/// Returns the line of `text` that says most about a failure. `text` is the end of a log.
FailureWords find_failure(std::string_view text);

}  // namespace dlscale::runner
