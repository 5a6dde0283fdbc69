// SPDX-License-Identifier: Apache-2.0
// Finds the line that says why a program failed in what the program, its launcher, the batch system
// and the kernel wrote, one after the other or mixed.
//
// The last line seldom says it: launchers and other ranks write after the rank that failed. A table
// of known messages tells what each line means and how certain it is. The most certain line of the
// end of the text is the reason; among equally certain ones the first, because other ranks follow.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contract/run_outcome.hpp"

namespace dlscale::runner {

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
  verdict     ///< memory, time limit, preemption or node: known as such
};

struct FailureWords {
  std::string reason;  ///< one line, trimmed; empty if no line says anything
  Certainty certainty = Certainty::none;
  std::optional<contract::RunOutcome> outcome;  ///< what the line alone says about the run
};

/// Returns the line of `text` that says most about a failure. `text` is the end of a log.
FailureWords find_failure(std::string_view text);

}  // namespace dlscale::runner
