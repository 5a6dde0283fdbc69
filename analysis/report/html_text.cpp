// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/html_text.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

/// Returns true for a character that needs no escape in HTML.
bool is_plain(char c) {
  return c >= 0x20 && c < 0x7f && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
}

/// Returns the HTML text for an ASCII character that cannot be written unchanged.
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
    default:  // control character
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
    const bool is_control = text.size() > 1 && text[0] == '\xC2' && text[1] < '\xA0';
    const std::size_t bytes = is_control ? 0 : base::utf8_bytes(text);
    if (bytes == 1) {
      escaped += ascii_text(text[0]);
    } else {
      escaped += bytes == 0 ? kReplacement : std::string(text.substr(0, bytes));
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
}

}  // namespace dlscale::analysis
