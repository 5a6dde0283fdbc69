// SPDX-License-Identifier: Apache-2.0
#include "base/skip_tally.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"

namespace dlscale::base {
namespace {

/// Returns the length of the number at the beginning of a text, with its fraction and exponent.
std::size_t length_of_number(std::string_view text) {
  const std::string_view number = text.substr(0, text.find_first_not_of("0123456789.,eE+"));
  return number.find_last_of("0123456789") + 1;
}

}  // namespace

void SkipTally::add(Skip skip) {
  const std::string& kind = skip.kind.empty() ? skip.why : skip.kind;
  const auto [place, is_new] = places_.try_emplace(skip.noun + '\n' + kind, reasons_.size());
  if (is_new) return reasons_.push_back(std::move(skip));
  Skip& reason = reasons_[place->second];
  reason.count += skip.count;
  if (example_ == Example::first || reason.example <= skip.example) return;
  reason.why = std::move(skip.why);
  reason.example = std::move(skip.example);
}

std::int64_t SkipTally::total() const {
  std::int64_t sum = 0;
  for (const Skip& reason : reasons_) sum += reason.count;
  return sum;
}

std::string general_reason(std::string_view why) {
  std::string general;
  while (!why.empty()) {
    const std::size_t quote = why[0] == '"' ? why.find('"', 1) : why.npos;
    std::size_t length = quote == why.npos ? 1 : quote + 1;
    if (is_digit(why[0])) length = length_of_number(why);
    general += length > 1 || is_digit(why[0]) ? '#' : why[0];
    why.remove_prefix(length);
  }
  return general;
}

std::string describe_skipped(const SkipTally& tally) {
  std::string lines;
  for (const Skip& reason : tally.reasons()) {
    lines += fmt::format("Skipped {} {}: {}; example: {}\n", reason.count,
                         base::word_for(reason.count, reason.noun), reason.why, reason.example);
  }
  return lines;
}

}  // namespace dlscale::base
