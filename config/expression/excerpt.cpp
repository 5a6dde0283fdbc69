// SPDX-License-Identifier: Apache-2.0
#include "config/expression/excerpt.hpp"

#include <algorithm>

namespace dlscale::config {

std::string excerpt(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 60, kShown = 160;
  if (text.size() <= kShown) return std::string(text);
  const auto is_within = [&](std::size_t i) {  // a character
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  std::size_t begin = at <= kBefore ? 0 : std::min(at, text.size()) - kBefore;
  std::size_t end = std::min(begin + kShown, text.size());
  while (begin > 0 && is_within(begin)) --begin;
  while (is_within(end)) ++end;
  std::string shown(text.substr(begin, end - begin));
  if (begin > 0) shown.insert(0, "…");
  if (end < text.size()) shown += "…";
  return shown;
}

}  // namespace dlscale::config
