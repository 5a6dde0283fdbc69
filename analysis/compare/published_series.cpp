// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/published_series.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/compare/axis_cell.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::array<std::string_view, 4> kConditions{"device", "setup", "nodes", "repeats"};
constexpr std::array<std::string_view, 5> kWholeTimes{"epoch_time", "train_time", "val_time",
                                                      "runtime", "step_time"};

bool is_condition(const std::string& axis) {
  return std::find(kConditions.begin(), kConditions.end(), axis) != kConditions.end();
}

std::optional<double> published_position(const std::string& cell, const Words& order) {
  const auto found = std::find(order.begin(), order.end(), cell);
  if (found != order.end()) return static_cast<double>(found - order.begin());
  return order.empty() ? AxisCell(cell).number() : std::nullopt;
}

bool belongs(const PublishedSeries& series, const Published& value,
             const std::map<std::string, std::string>& axes) {
  return series.quantity == value.quantity && series.statistic == value.statistic &&
         series.axes == axes;
}

}  // namespace

std::vector<PublishedSeries> series_along(const Publication& publication, const std::string& axis,
                                          const Words& order) {
  std::vector<PublishedSeries> all;
  for (const Published& value : publication.values) {
    if (!value.number || (value.relation != "=" && value.relation != "~")) continue;
    const auto where = published_position(value.axis(axis), order);
    if (!where) continue;
    auto axes = value.axes;
    std::erase_if(axes,
                  [&](const auto& one) { return one.first == axis || is_condition(one.first); });
    auto found = std::find_if(all.begin(), all.end(), [&](const PublishedSeries& series) {
      return belongs(series, value, axes);
    });
    if (found == all.end()) {
      found = all.insert(all.end(), {value.quantity, value.statistic, axes, {}});
    }
    found->points.push_back({*where, &value});
  }
  std::erase_if(all, [](const PublishedSeries& series) { return series.points.size() < 2; });
  for (PublishedSeries& series : all) {
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const SeriesPoint& a, const SeriesPoint& b) { return a.at < b.at; });
  }
  return all;
}

bool may_be_one_point(const std::map<std::string, std::string>& a,
                      const std::map<std::string, std::string>& b, const std::string& but) {
  return std::all_of(a.begin(), a.end(), [&](const auto& cell) {
    const auto other = b.find(cell.first);
    return cell.first == but || other == b.end() ||
           AxisCell(cell.second).meets(AxisCell(other->second));
  });
}

bool concerns(const Published& claim, const PublishedSeries& series) {
  return claim.quantity == series.quantity &&
         (claim.statistic.empty() || claim.statistic == series.statistic) &&
         may_be_one_point(claim.axes, series.axes, claim.along);
}

bool is_whole_time(const Published& value) {
  return std::find(kWholeTimes.begin(), kWholeTimes.end(), value.quantity) != kWholeTimes.end();
}

bool is_rate(const Published& value) {
  return value.quantity == "throughput";
}

Printed speedup_of(const Published& from, const Published& to) {
  return is_rate(from) ? ratio(allowed(to), allowed(from)) : ratio(allowed(from), allowed(to));
}

const Published* at(const PublishedSeries& series, double where) {
  for (const SeriesPoint& point : series.points) {
    if (point.at == where) return point.value;
  }
  return nullptr;
}

}  // namespace dlscale::analysis
