// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/json_scan.hpp"

#include <fmt/format.h>

namespace dlscale::analysis {
namespace {

/// Where the string ends that begins at `at`, both with a quotation mark.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i;
    if (text[i] == '\\') ++i;  // what it escapes is no end
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view json_whole(std::string_view text, std::size_t at) {
  constexpr std::size_t npos = std::string_view::npos;
  int depth = 0;
  for (std::size_t i = at; (i = text.find_first_of("{}[]\"", i)) != npos; ++i) {
    if (text[i] == '"') {
      i = end_of_string(text, i);
      if (i == npos) return {};
    } else {
      depth += text[i] == '{' || text[i] == '[' ? 1 : -1;
      if (depth == 0) return text.substr(at, i + 1 - at);
    }
  }
  return {};
}

std::size_t json_value_of(std::string_view text, std::string_view key, std::size_t from) {
  constexpr std::size_t npos = std::string_view::npos;
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::string quoted = fmt::format("\"{}\"", key);
  for (std::size_t at = text.find(quoted, from); at != npos; at = text.find(quoted, at + 1)) {
    const std::size_t colon = text.find_first_not_of(kBlanks, at + quoted.size());
    if (colon == npos) return npos;
    if (text[colon] == ':') return text.find_first_not_of(kBlanks, colon + 1);
  }
  return npos;
}

}  // namespace dlscale::analysis
