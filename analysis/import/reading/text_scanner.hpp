// SPDX-License-Identifier: Apache-2.0
// Reads a line from left to right: words that must stand there, and numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
