// SPDX-License-Identifier: Apache-2.0
#include "planner/study/range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace dlscale::planner {
namespace {

const std::vector<std::string> kKeys{"from", "to", "times", "step", "count", "spacing"};
constexpr double kLargest = 1e15;  // whole numbers up to here are exact as doubles
constexpr double kSlack = 1e-9;    // how far the last value may lie beyond `to`, in steps

struct Range {
  double from = 0, to = 0;
  std::optional<double> times, step;
  std::optional<std::int64_t> count;
  std::string spacing;
};

double bounded(const config::Item& item) {
  return item.number(-kLargest, kLargest);
}

Range read_range(const config::Item& item) {
  static const std::vector<config::Field<Range>> fields{
      {kKeys[0], [](Range& r, const config::Item& i) { r.from = bounded(i); }},
      {kKeys[1], [](Range& r, const config::Item& i) { r.to = bounded(i); }},
      {kKeys[2], [](Range& r, const config::Item& i) { r.times = i.number(2); }},
      {kKeys[3],
       [](Range& r, const config::Item& i) {
         r.step = bounded(i);
         if (*r.step == 0) i.fail("must not be 0: the range would be endless");
       }},
      {kKeys[4], [](Range& r, const config::Item& i) { r.count = i.whole(2, kMostRangeValues); }},
      {kKeys[5],
       [](Range& r, const config::Item& i) {
         r.spacing = i.one_of("spacing", {"linear", "log"});
       }},
  };
  Range range;
  config::read_fields(item, fields, range);
  return range;
}

void check(const Range& range, const config::Item& item) {
  const auto given = [&](const char* key) {
    return config::find_key(item.table(), key) != nullptr;
  };
  if (!given("from") || !given("to")) item.fail("a range needs from and to");
  if (range.times.has_value() + range.step.has_value() + range.count.has_value() != 1) {
    item.fail("a range needs one of times, step and count");
  }
  if (!range.spacing.empty() && !range.count) item.fail("spacing goes with count");
  if (range.from == range.to) item.fail("from and to are the same");
  if (range.times && (range.from <= 0 || range.to < range.from)) {
    item.fail("times needs from above 0 and to above from");
  }
  if (range.step && (*range.step > 0) != (range.to > range.from)) {
    item.fail("step leads away from to");
  }
  if (range.spacing == "log" && (range.from <= 0 || range.to <= 0)) {
    item.fail("log spacing needs from and to above 0");
  }
}

/// Values from `from` on, each made by `next`, while `inside`.
template <class Value, class Inside>
std::vector<double> values_while(const config::Item& item, Value value, Inside inside) {
  std::vector<double> values;
  for (std::int64_t i = 0; inside(value(i)); ++i) {
    if (i == kMostRangeValues) item.fail(fmt::format("more than {} values", kMostRangeValues));
    values.push_back(value(i));
  }
  return values;
}

std::vector<double> values_of(const Range& range, const config::Item& item) {
  const double from = range.from, to = range.to;
  if (range.times) {
    return values_while(
        item, [&](std::int64_t i) { return from * std::pow(*range.times, i); },
        [&](double value) { return value <= to * (1 + kSlack); });
  }
  if (range.step) {
    const double step = *range.step;
    return values_while(
        item, [&](std::int64_t i) { return from + static_cast<double>(i) * step; },
        [&](double value) { return (value - to) / step <= kSlack; });
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i + 1 < *range.count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(*range.count - 1);
    values.push_back(range.spacing == "log" ? from * std::pow(to / from, part)
                                            : from + part * (to - from));
  }
  values.push_back(to);
  return values;
}

double rounded(double value) {
  if (value == std::trunc(value)) return value;
  return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

}  // namespace

bool is_range(const config::Node& node) {
  const auto* table = std::get_if<config::Table>(&node.value);
  return table != nullptr && !table->empty() &&
         std::all_of(table->begin(), table->end(), [](const config::Entry& entry) {
           return std::find(kKeys.begin(), kKeys.end(), entry.key) != kKeys.end();
         });
}

config::List range_values(const config::Item& item) {
  const Range range = read_range(item);
  check(range, item);
  std::vector<double> values = values_of(range, item);
  for (double& value : values) value = rounded(value);
  const bool whole = std::all_of(values.begin(), values.end(),
                                 [](double value) { return value == std::trunc(value); });
  config::List nodes;
  for (const double value : values) {
    if (whole) {
      nodes.push_back({static_cast<std::int64_t>(value), item.node.where});
    } else {
      nodes.push_back({value, item.node.where});
    }
  }
  return nodes;
}

}  // namespace dlscale::planner
