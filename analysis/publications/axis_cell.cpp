// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/axis_cell.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Range {
  double low, high;
};

std::optional<Range> to_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    const auto low = base::number_of<double>(text.substr(0, dots)),
               high = base::number_of<double>(text.substr(dots + 2));
    if (low && high) return Range{*low, *high};
    return std::nullopt;
  }
  const bool below = text.starts_with('<'), above = text.starts_with('>');
  if (!below && !above) return std::nullopt;
  const bool closed = text.size() > 1 && text[1] == '=';
  const auto limit = base::number_of<double>(text.substr(closed ? 2 : 1));
  if (!limit) return std::nullopt;
  if (below) return Range{-kNoLimit, closed ? *limit : std::nextafter(*limit, -kNoLimit)};
  return Range{closed ? *limit : std::nextafter(*limit, kNoLimit), kNoLimit};
}

}  // namespace

std::string comparable(std::string_view name) {
  std::string text = base::lower(name);
  std::erase_if(text, [](char c) { return c == ' ' || c == '-' || c == '_'; });
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
  for (const std::string_view word : base::split(text, '|')) words_.push_back(comparable(word));
}

std::optional<double> AxisCell::number() const {
  return words_.size() == 1 ? base::number_of<double>(words_[0]) : std::nullopt;
}

bool AxisCell::has(const std::string& word) const {
  if (any_) return true;
  if (!range_) return std::find(words_.begin(), words_.end(), word) != words_.end();
  const auto value = base::number_of<double>(word);
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
