// SPDX-License-Identifier: Apache-2.0
// The lines of a log, one after the other, without a copy of the text, and a line read from left to
// right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dlscale::analysis {

// Reads a line from left to right: words that must stand there, and numbers.

/// Each step is false when the line goes on otherwise; the place in the line is then unspecified.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : rest_(text) {}

  /// Goes behind the first `mark`, wherever it is.
  bool find(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + mark.size());
    return true;
  }
  /// Goes behind spaces and tabs, and then behind `words`.
  bool skip(std::string_view words) {
    skip_blanks();
    if (!rest_.starts_with(words)) return false;
    rest_.remove_prefix(words.size());
    return true;
  }
  void skip_blanks();
  /// Behind blanks, a number; only finite ones are.
  bool number(double& value);
  /// Behind blanks, a loss: a number, or an infinity where "nan" or "inf" stands.
  bool loss(double& value);
  /// Behind blanks, an integer that is not part of a longer number.
  bool integer(std::int64_t& value);
  /// Up to the next of these characters, or to the end.
  std::string_view until(std::string_view any_of);

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// "1:02:03" (hours, minutes, seconds) or "02:03", after days ("1 day, ") where there are any.
bool clock_time(TextScanner& scanner, double& seconds);

/// "2024-05-02 04:40:42,836", with a comma or a point before the fraction, as seconds since 1970 in
/// the time zone of the log. Only differences between two times of one log have a meaning.
bool date_and_time(TextScanner& scanner, double& seconds);

/// The whole of a text as a number; false for any other text and for numbers that are not finite.
bool whole_number(std::string_view text, double& value);

/// The whole of a text as a loss (TextScanner::loss).
bool whole_loss(std::string_view text, double& value);

// The lines of a log, one after the other, without a copy of the text.
// A progress bar writes each of its states behind a carriage return, and the line ends only when
// the bar is done: after an epoch, perhaps, and megabytes. What carriage returns separate are
// therefore lines of their own here. They share the number that an editor gives the whole line, and
// the process that wrote it.

/// Bytes of the longest line that is read. No trainer writes a longer one.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;
/// What Excel begins UTF-8 texts with.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Control characters that enclose which process wrote a line. without_launcher_prefixes writes
/// them.
inline constexpr char kProcessMark = '\x1e';
inline constexpr char kEndOfMark = '\x1f';
void append_process_mark(int rank, std::string_view host, std::string& text);

struct LogLine {
  std::string_view text;      ///< without its end and without a process mark
  std::string_view with_end;  ///< the same with its end: "\n", "\r\n" or "\r"
  std::size_t offset = 0;     ///< byte of the log at which the line begins
  int number = 0;             ///< from 1; "\r" alone begins no new one
  int rank = -1;              ///< global or local rank of the process that wrote it; -1: unknown
  std::string_view host;      ///< of the process; empty: unknown
  bool complete = false;      ///< it has an end; without one a number at its end may be cut off

  bool has_process() const { return rank >= 0 || !host.empty(); }
};

class LogLines {
 public:
  /// A byte order mark at the beginning belongs to no line.
  explicit LogLines(std::string_view text) : begin_(text.data()), rest_(text) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  /// Goes to the next line; false behind the last.
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
  /// Bytes behind the line.
  std::size_t left() const { return rest_.size(); }
  /// What is behind the line.
  std::string_view rest() const { return rest_; }

 private:
  void begin_line() {
    const std::size_t end = rest_.find('\n');
    in_line_ = end == std::string_view::npos ? rest_.size() : end + 1;
    line_.rank = -1;
    line_.host = {};
    ++line_.number;
  }
  /// Bytes up to the next carriage return, or else up to the end of the line.
  std::size_t size_of_part() const {
    const std::size_t mark = rest_.substr(0, in_line_).find('\r');
    const bool is_end = mark == std::string_view::npos || rest_.substr(mark, 2) == "\r\n";
    return is_end ? in_line_ : mark + 1;
  }
  void take_mark();

  const char* begin_;
  std::string_view rest_;
  std::size_t in_line_ = 0;  ///< bytes of `rest_` up to the next "\n"
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
