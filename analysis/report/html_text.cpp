// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/html_text.hpp"

#include <algorithm>
#include <cstdint>

namespace dlscale::analysis {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character at the start of `text`; 0 if there is none (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t character_bytes(std::string_view text) {
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
  const bool is_control = code < 0xA0;
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kFirst[bytes] || code > 0x10FFFF || is_control || is_surrogate ? 0 : bytes;
}

/// True for what stands in HTML as it is.
bool is_plain(char c) {
  return c >= 0x20 && c < 0x7f && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

/// Of a character that is not plain.
std::string ascii_text(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\r':
    case '\t':
      return " ";
    default:  // a control character
      return kReplacement;
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string escaped;
  while (true) {
    const auto special = std::find_if_not(text.begin(), text.end(), &is_plain);
    const auto plain = static_cast<std::size_t>(special - text.begin());
    escaped += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return escaped;
    const std::size_t bytes = character_bytes(text);
    if (bytes == 1) {
      escaped += ascii_text(text[0]);
    } else {
      escaped += bytes == 0 ? kReplacement : std::string(text.substr(0, bytes));
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
}

}  // namespace dlscale::analysis
