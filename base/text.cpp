// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

std::size_t utf8_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return 0;
  std::uint32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kFirst[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kFirst[bytes] || code > 0x10FFFF || is_surrogate ? 0 : bytes;
}

namespace {

bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7f;
}

/// Characters that have no special meaning in a shell.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (const unsigned char c : std::string_view("_./:@%+,-")) plain[c] = true;
  for (unsigned char c = '0'; c <= '9'; ++c) plain[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) plain[c] = plain[c - 'a' + 'A'] = true;
  return plain;
}();

bool is_plain(std::string_view value) {
  const bool option = !value.empty() && value[0] == '-';
  return !value.empty() && std::all_of(value.begin(), value.end(), [&](unsigned char c) {
    return kPlain[c] || (option && c == '=');
  });
}

}  // namespace

std::string shell_quote(std::string_view value) {
  if (is_plain(value)) return std::string(value);
  const bool escape = std::any_of(value.begin(), value.end(), is_control);
  std::string text = escape ? "$'" : "'";
  for (const char c : value) {
    if (is_control(static_cast<unsigned char>(c))) {
      text += c == '\n'   ? "\\n"
              : c == '\t' ? "\\t"
                          : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else if (c == '\'') {
      text += escape ? "\\'" : "'\\''";
    } else if (c == '\\' && escape) {
      text += "\\\\";
    } else {
      text += c;
    }
  }
  return text + "'";
}

}  // namespace dlscale::base
