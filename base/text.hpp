// SPDX-License-Identifier: Apache-2.0
// Parts of texts, numbers in texts, and nouns behind a count.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace dlscale::base {

/// Returns the parts between separators: N separators make N + 1 parts, of which some may be empty.
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

/// Returns the lines without their "\n". An empty text has none, and the last line may lack its
/// end.
std::vector<std::string_view> lines_of(std::string_view text);

/// Returns the text without the blanks before and behind it.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// True for 0 to 9, whatever the locale.
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns the text with small letters for A to Z; other characters stay.
std::string lower(std::string_view text);

/// Returns the bytes of the UTF-8 character that the text begins with; 0 if it begins with none
/// (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_bytes(std::string_view text);

/// Returns the number that the whole text is, as std::from_chars reads it.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// Returns the number that the text begins with, and `otherwise` where it begins with none.
template <class Number>
Number leading_number(std::string_view text, Number otherwise = 0) {
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

/// Returns `one` for a count of 1, else `many`: "is" or "are".
std::string_view word_for(std::int64_t count, std::string_view one, std::string_view many);

/// Returns the noun as it stands behind a count: "run" for 1, else "runs", and "class" or
/// "classes".
std::string word_for(std::int64_t count, std::string_view noun);

/// Returns the count and its noun: "1 run", "3 runs".
std::string count_of(std::int64_t count, std::string_view noun);

/// Returns the count and the words behind it: "1 run is", "3 runs are".
std::string count_of(std::int64_t count, std::string_view one, std::string_view many);

}  // namespace dlscale::base
