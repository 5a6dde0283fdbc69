// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/formats/plain_text.hpp"

#include <algorithm>
#include <cctype>

namespace dlscale::analysis {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower_case_of(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace dlscale::analysis
