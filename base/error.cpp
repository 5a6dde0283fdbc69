// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlscale::base {
namespace {

/// Replaces control characters by escape sequences. Messages contain values from files, and a
/// message must be one line.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (c == '\n') {
      line += "\\n";
    } else if (control) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  return line;
}

std::string describe(const Location& where, std::string_view key_path, std::string_view message) {
  std::string text;
  if (!where.file.empty()) {
    text += where.file;
    if (where.line > 0) text += fmt::format(":{}", where.line);
    if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
    text += ": ";
  }
  if (!key_path.empty()) text += fmt::format("{}: ", key_path);
  text += message;
  return on_one_line(text);
}

}  // namespace

SpecError::SpecError(const Location& where, std::string_view key_path, std::string_view message)
    : Error(describe(where, key_path, message), 2), where_(where), key_path_(key_path) {}

Location locate(std::string_view file, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  // If `before` has no line end, rfind returns npos, and npos + 1 is 0.
  const std::size_t line_start = before.rfind('\n') + 1;
  return {std::string(file), 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          1 + static_cast<int>(before.size() - line_start)};
}

}  // namespace dlscale::base
