// SPDX-License-Identifier: Apache-2.0
// The lines of a log, one after the other, without a copy of the text.
#pragma once

#include <cstddef>
#include <string_view>

namespace dlscale::analysis {

inline constexpr std::size_t kLongestLine = std::size_t{1}
                                            << 20;  ///< bytes; no trainer's is longer
inline constexpr std::string_view kByteOrderMark =
    "\xef\xbb\xbf";  ///< what Excel begins UTF-8 with

struct LaunchedLine {
  std::string_view text;
  int rank = -1;  ///< that the prefix names; -1: there is none
};

/// What mpirun ("[1,0]<stdout>:"), srun --label ("0: ") and torchrun ("[default0]:") put before a
/// line is none of the program's. torchrun's number is the local rank.
LaunchedLine without_launcher(std::string_view line);

struct LogLine {
  std::string_view text;  ///< without its end, "\n" or "\r\n", and without its launcher's prefix
  std::string_view with_end;  ///< the same with its end
  int number = 0;             ///< from 1
  int rank = -1;              ///< as its launcher's prefix says; -1: it has none
  bool complete = false;      ///< it has an end; without one a number at its end may be cut off
};

class LogLines {
 public:
  /// A byte order mark at the beginning belongs to no line.
  explicit LogLines(std::string_view text) : rest_(text) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  /// Goes to the next line; false behind the last.
  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_.complete = end != std::string_view::npos;
    const std::string_view whole = rest_.substr(0, line_.complete ? end + 1 : rest_.size());
    std::string_view text = rest_.substr(0, end);
    ++line_.number;
    rest_.remove_prefix(whole.size());
    if (text.ends_with('\r')) text.remove_suffix(1);
    const LaunchedLine launched = without_launcher(text);
    line_.text = launched.text;
    line_.rank = launched.rank;
    line_.with_end = whole.substr(static_cast<std::size_t>(line_.text.data() - whole.data()));
    return true;
  }
  const LogLine& line() const { return line_; }
  /// Bytes behind the line.
  std::size_t left() const { return rest_.size(); }
  /// What is behind the line.
  std::string_view rest() const { return rest_; }

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
