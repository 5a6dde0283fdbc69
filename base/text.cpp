// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlscale::base {

std::vector<std::string_view> split(std::string_view text, char separator) {
  return split(text, std::string_view(&separator, 1));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.empty()) return {};
  if (text.ends_with('\n')) text.remove_suffix(1);
  return split(text, '\n');
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower(std::string_view text) {
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

std::string_view word_for(std::int64_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

std::string word_for(std::int64_t count, std::string_view noun) {
  return fmt::format("{}{}", noun, word_for(count, "", noun.ends_with('s') ? "es" : "s"));
}

std::string count_of(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}", count, word_for(count, noun));
}

std::string count_of(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, word_for(count, one, many));
}

}  // namespace dlscale::base
