// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/published_series.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/column_heading.hpp"

namespace dlscale::analysis {
namespace {

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

bool is_exact(const Published& value) {
  return value.number && (value.relation == "=" || value.relation == "~");
}

/// Returns true if a value belongs to a curve along `axis`. If a row has several scaling axes, such
/// as gpus and nodes, its curve runs along the first of them in kScalingAxes.
bool follows(const Published& value, const std::string& axis) {
  if (!is_scaling_axis(axis)) return true;
  for (const std::string_view one : kScalingAxes) {
    if (one == axis) return true;
    if (AxisCell(value.axis(std::string(one))).number()) return false;
  }
  return false;
}

std::vector<PlacedValue> placed_values(const Publication& publication, const std::string& axis,
                                       const Words& order) {
  std::vector<PlacedValue> placed;
  for (const Published& value : publication.values) {
    const auto where = published_position(value.axis(axis), order);
    if (is_exact(value) && where && follows(value, axis)) placed.push_back({*where, &value});
  }
  return placed;
}

std::vector<PublishedSeries> series_of(const std::vector<PlacedValue>& values,
                                       const AxisRoles& roles) {
  std::vector<PublishedSeries> all;
  for (const PlacedValue& placed : values) {
    const auto axes = roles.curve_of(placed);
    auto found = std::find_if(all.begin(), all.end(), [&](const PublishedSeries& series) {
      return belongs(series, *placed.value, axes);
    });
    if (found == all.end()) {
      found = all.insert(all.end(), {placed.value->quantity, placed.value->statistic, axes, {}});
    }
    found->points.push_back({placed.at, placed.value});
  }
  for (PublishedSeries& series : all) {
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const SeriesPoint& a, const SeriesPoint& b) { return a.at < b.at; });
  }
  return all;
}

}  // namespace

bool is_scaling_axis(std::string_view axis) {
  return std::find(kScalingAxes.begin(), kScalingAxes.end(), axis) != kScalingAxes.end();
}

std::vector<PublishedSeries> series_along(const Publication& publication, const std::string& axis,
                                          const Words& order) {
  const std::vector<PlacedValue> values = placed_values(publication, axis, order);
  std::vector<PublishedSeries> all = series_of(values, AxisRoles(values, axis));
  std::erase_if(all, [](const PublishedSeries& series) { return series.points.size() < 2; });
  return all;
}

std::vector<PublishedSeries> stated_along(const Publication& publication,
                                          const std::string& quantity, const std::string& axis) {
  const std::vector<PlacedValue> values = placed_values(publication, axis, {});
  std::vector<PlacedValue> stated;
  for (const PlacedValue& placed : values) {
    if (placed.value->quantity == quantity) stated.push_back(placed);
  }
  for (const Published& value : publication.values) {
    const auto to = AxisCell(value.to).number();
    const bool is_placed = value.quantity == quantity && value.along == axis && is_exact(value);
    if (is_placed && to && value.axis(axis).empty()) stated.push_back({*to, &value});
  }
  return series_of(stated, AxisRoles(values, axis));
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
  return is_time_name(value.quantity);
}

bool is_rate(const Published& value) {
  return is_rate_name(value.quantity);
}

bool is_gpu_rate(const Published& value) {
  return is_gpu_rate_name(value.quantity);
}

Printed speedup_of(const Published& from, const Published& to) {
  const bool rates = is_rate(from) || is_gpu_rate(from);
  return rates ? ratio(allowed(to), allowed(from)) : ratio(allowed(from), allowed(to));
}

const Published* at(const PublishedSeries& series, double where) {
  for (const SeriesPoint& point : series.points) {
    if (point.at == where) return point.value;
  }
  return nullptr;
}

}  // namespace dlscale::analysis
