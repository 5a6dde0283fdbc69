// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/axis_cell.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace dlscale::analysis {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Range {
  double low, high;
};

std::optional<Range> to_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    const auto low = to_number(text.substr(0, dots)), high = to_number(text.substr(dots + 2));
    if (low && high) return Range{*low, *high};
    return std::nullopt;
  }
  const bool below = text.starts_with('<'), above = text.starts_with('>');
  if (!below && !above) return std::nullopt;
  const bool closed = text.size() > 1 && text[1] == '=';
  const auto limit = to_number(text.substr(closed ? 2 : 1));
  if (!limit) return std::nullopt;
  if (below) return Range{-kNoLimit, closed ? *limit : std::nextafter(*limit, -kNoLimit)};
  return Range{closed ? *limit : std::nextafter(*limit, kNoLimit), kNoLimit};
}

}  // namespace

std::string comparable(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == ' ' || c == '-' || c == '_') continue;
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

AxisCell::AxisCell(std::string_view text) {
  if (text.empty() || text == "*") {
    any_ = true;
    unsaid_ = text.empty();
    return;
  }
  if (text.starts_with('?')) {
    unsaid_ = true;
    text.remove_prefix(1);
  }
  if (const auto range = to_range(text)) {
    range_ = true;
    low_ = range->low;
    high_ = range->high;
    return;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    words_.push_back(comparable(text.substr(begin, end - begin)));
    begin = end + 1;
  }
}

std::optional<double> AxisCell::number() const {
  return words_.size() == 1 ? to_number(words_[0]) : std::nullopt;
}

bool AxisCell::has(const std::string& word) const {
  if (any_) return true;
  if (!range_) return std::find(words_.begin(), words_.end(), word) != words_.end();
  const auto value = to_number(word);
  return value && *value >= low_ && *value <= high_;
}

bool AxisCell::meets(const AxisCell& other) const {
  if (any_ || other.any_) return true;
  if (range_ && other.range_) return low_ <= other.high_ && other.low_ <= high_;
  if (other.range_) return other.meets(*this);
  return std::any_of(other.words_.begin(), other.words_.end(),
                     [&](const std::string& word) { return has(word); });
}

bool AxisCell::contains(const AxisCell& other) const {
  if (any_) return true;
  if (other.any_) return false;
  if (other.range_) return range_ && low_ <= other.low_ && other.high_ <= high_;
  return std::all_of(other.words_.begin(), other.words_.end(),
                     [&](const std::string& word) { return has(word); });
}

}  // namespace dlscale::analysis
