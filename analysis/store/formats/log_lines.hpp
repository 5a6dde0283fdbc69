// SPDX-License-Identifier: Apache-2.0
// The lines of a log, one after the other, without a copy of the text.
#pragma once

#include <cstddef>
#include <string_view>

namespace dlscale::analysis {

inline constexpr std::size_t kLongestLine = std::size_t{1}
                                            << 20;  ///< bytes; no trainer's is longer

/// What mpirun ("[1,0]<stdout>:"), srun --label ("0: ") and torchrun ("[default0]:") put before a
/// line is none of the program's.
std::string_view without_launcher(std::string_view line);

struct LogLine {
  std::string_view text;  ///< without its end, "\n" or "\r\n", and without its launcher's prefix
  int number = 0;         ///< from 1
  bool complete = false;  ///< it has an end; without one a number at its end may be cut off
};

class LogLines {
 public:
  explicit LogLines(std::string_view text) : rest_(text) {}

  /// Goes to the next line; false behind the last.
  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_.complete = end != std::string_view::npos;
    line_.text = rest_.substr(0, end);
    ++line_.number;
    rest_.remove_prefix(line_.complete ? end + 1 : rest_.size());
    if (line_.text.ends_with('\r')) line_.text.remove_suffix(1);
    line_.text = without_launcher(line_.text);
    return true;
  }
  const LogLine& line() const { return line_; }
  /// Bytes behind the line.
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  LogLine line_;
};

/// Whether `is_own` is true of a line. A log's beginning ends anywhere, so a last line without end
/// does not count.
template <class IsOwn>
bool any_line(std::string_view head, IsOwn is_own) {
  for (LogLines lines(head); lines.next();) {
    if (lines.line().complete && is_own(lines.line().text)) return true;
  }
  return false;
}

}  // namespace dlscale::analysis
