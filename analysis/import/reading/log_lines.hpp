// SPDX-License-Identifier: Apache-2.0
// Iterates over the lines of a log without copying the text, and scans a line from left to right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dlscale::analysis {

// Types and functions that scan a line.

/// Scans a line from left to right for expected words and numbers. Each function returns false if
/// the line does not continue as expected. The position in the line is then unspecified.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : rest_(text) {}

  /// Moves to the position after the first occurrence of `mark`.
  bool find(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + mark.size());
    return true;
  }
  /// Skips blanks and then `words`.
  bool skip(std::string_view words) {
    skip_blanks();
    if (!rest_.starts_with(words)) return false;
    rest_.remove_prefix(words.size());
    return true;
  }
  void skip_blanks();
  /// Skips blanks and reads a finite number.
  bool number(double& value);
  /// Skips blanks and reads a loss. "nan" and "inf" are read as infinity.
  bool loss(double& value);
  /// Skips blanks and reads an integer. Returns false if decimals follow the integer.
  bool integer(std::int64_t& value);
  /// Returns the text up to the next character that is in `any_of`, or up to the end of the line.
  std::string_view until(std::string_view any_of);

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// Reads "2024-05-02 04:40:42,836", with a comma or a point before the fraction, as seconds since
/// 1970 in the time zone of the log. Only the difference between two times of one log is
/// meaningful.
bool date_and_time(TextScanner& scanner, double& seconds);

/// Reads a number from a text that contains nothing else except blanks. Returns false for any other
/// text and for numbers that are not finite.
bool whole_number(std::string_view text, double& value);

/// Reads a loss from a text that contains nothing else except blanks (see TextScanner::loss).
bool whole_loss(std::string_view text, double& value);

// Types that iterate over the lines of a log without copying the text.
// A progress bar writes each of its states after a carriage return, and its line ends only when the
// bar is complete, possibly after an epoch and megabytes of text. Therefore each text between two
// carriage returns is treated as a separate line. All texts of one line share the line number that
// an editor shows and the process that wrote the line.

/// Maximum number of bytes in a line. Readers skip longer lines. Trainers do not write longer
/// lines.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;
/// Byte order mark, which Excel writes at the beginning of UTF-8 texts.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Control characters before and after the rank and the host of the process that wrote a line.
/// without_launcher_prefixes() writes them at the beginning of the line.
inline constexpr char kProcessMark = '\x1e';
inline constexpr char kEndOfMark = '\x1f';
void append_process_mark(int rank, std::string_view host, std::string& text);

struct LogLine {
  std::string_view text;      ///< line without its end and without a process mark
  std::string_view with_end;  ///< line with its end: "\n", "\r\n" or "\r"
  std::size_t offset = 0;     ///< byte of the log at which the line begins
  int number = 0;             ///< line number from 1; a single "\r" does not increase it
  int rank = -1;              ///< global or local rank of the writing process; -1: unknown
  std::string_view host;      ///< host of the writing process; empty: unknown
  bool complete = false;      ///< true if the line has an end and is therefore not truncated

  bool has_process() const { return rank >= 0 || !host.empty(); }
};

class LogLines {
 public:
  /// Starts at the beginning of a text. A byte order mark is skipped.
  explicit LogLines(std::string_view text) : begin_(text.data()), rest_(text) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  /// Moves to the next line. Returns false after the last line.
  bool next() {
    if (rest_.empty()) return false;
    const bool is_new = in_line_ == 0;
    if (is_new) begin_line();
    const std::string_view whole = rest_.substr(0, size_of_part());
    line_.complete = whole.ends_with('\n') || whole.ends_with('\r');
    line_.offset = static_cast<std::size_t>(rest_.data() - begin_);
    line_.text = whole;
    rest_.remove_prefix(whole.size());
    in_line_ -= whole.size();
    if (line_.text.ends_with('\n')) line_.text.remove_suffix(1);
    if (line_.text.ends_with('\r')) line_.text.remove_suffix(1);
    if (is_new && line_.text.starts_with(kProcessMark)) take_mark();
    line_.with_end = whole.substr(static_cast<std::size_t>(line_.text.data() - whole.data()));
    return true;
  }
  const LogLine& line() const { return line_; }
  /// Returns the number of bytes after the current line.
  std::size_t left() const { return rest_.size(); }
  /// Returns the text after the current line.
  std::string_view rest() const { return rest_; }

 private:
  void begin_line() {
    const std::size_t end = rest_.find('\n');
    in_line_ = end == std::string_view::npos ? rest_.size() : end + 1;
    line_.rank = -1;
    line_.host = {};
    ++line_.number;
  }
  /// Returns the number of bytes up to the next carriage return, or up to the end of the line.
  std::size_t size_of_part() const {
    const std::size_t mark = rest_.substr(0, in_line_).find('\r');
    const bool is_end = mark == std::string_view::npos || rest_.substr(mark, 2) == "\r\n";
    return is_end ? in_line_ : mark + 1;
  }
  void take_mark();

  const char* begin_;
  std::string_view rest_;
  std::size_t in_line_ = 0;  ///< number of bytes of `rest_` up to the next "\n"
  LogLine line_;
};

/// Returns true if `is_own` returns true for any complete line. The beginning of a log may end
/// within a line, so an incomplete last line is ignored.
template <class IsOwn>
bool any_line(std::string_view head, IsOwn is_own) {
  for (LogLines lines(head); lines.next();) {
    if (lines.line().complete && is_own(lines.line().text)) return true;
  }
  return false;
}

}  // namespace dlscale::analysis
