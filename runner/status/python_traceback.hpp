// SPDX-License-Identifier: Apache-2.0
// Finds the tracebacks of Python in the lines of a log: the exception that each ends with, and the
// tracebacks that Python itself says are ignored.
#pragma once

#include <string_view>
#include <vector>

namespace dlscale::runner {

enum class TracebackPart {
  none,
  frame,      ///< a line within a traceback: a file, a line of source code
  exception,  ///< the line that a traceback ends with, whatever the exception is called
  ignored     ///< belongs to an exception that Python ignored, as in a destructor
};

/// Returns the part of each line. Lines of other ranks may stand between those of a traceback if
/// the launcher puts the rank in front of lines.
std::vector<TracebackPart> traceback_parts(const std::vector<std::string_view>& lines);

}  // namespace dlscale::runner
