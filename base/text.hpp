// SPDX-License-Identifier: Apache-2.0
// Splits texts, parses numbers in texts, formats nouns after a count, and quotes words for bash.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace dlscale::base {

/// Returns the parts between separators. N separators make N + 1 parts, some of which may be empty.
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

/// Returns the lines without their "\n". An empty text has no lines. The last line may lack its
/// "\n".
std::vector<std::string_view> lines_of(std::string_view text);

/// Returns the text without the blanks at its beginning and end.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// Returns whether `c` is a digit from 0 to 9. The result does not depend on the locale.
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns the text with A to Z in lower case. Other characters are unchanged.
std::string lower(std::string_view text);

/// Returns the number of bytes of the UTF-8 character at the beginning of the text, or 0 if there
/// is no valid character (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_bytes(std::string_view text);

/// Returns the whole text as a number, as std::from_chars reads it, or nothing if the text is not a
/// number.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// Returns the number at the beginning of the text, or `otherwise` if there is no number.
template <class Number>
Number leading_number(std::string_view text, Number otherwise = 0) {
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

/// Returns `one` if the count is 1, else `many`. For example, `one` is "is" and `many` is "are".
std::string_view word_for(std::int64_t count, std::string_view one, std::string_view many);

/// Returns the form of the noun after a count: "run" or "runs", and "class" or "classes".
std::string word_for(std::int64_t count, std::string_view noun);

/// Returns the count and its noun: "1 run", "3 runs".
std::string count_of(std::int64_t count, std::string_view noun);

/// Returns the count and the words after it: "1 run is", "3 runs are".
std::string count_of(std::int64_t count, std::string_view one, std::string_view many);

/// Returns a bash word that has exactly this value and contains no line break. The word is unquoted
/// if no character is special. Otherwise it is '…', or $'…' if the value contains control
/// characters. The value must not contain NUL, because a shell word cannot contain NUL.
std::string shell_quote(std::string_view value);

}  // namespace dlscale::base
