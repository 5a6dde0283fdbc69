// SPDX-License-Identifier: Apache-2.0
// Groups published values that differ in one axis only, in its order.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

struct SeriesPoint {
  double at = 0;  ///< value of the axis, or its position in the order
  const Published* value = nullptr;
};

struct PublishedSeries {
  std::string quantity;
  std::string statistic;
  std::map<std::string, std::string> axes;  ///< cells of the other axes
  std::vector<SeriesPoint> points;          ///< ascending, at least two points
};

/// Axes of curves. A value belongs to the first of these axes that it has.
inline constexpr std::array<std::string_view, 7> kScalingAxes{
    "gpus", "cores", "ranks", "workers", "processes", "devices", "nodes"};
bool is_scaling_axis(std::string_view axis);

/// Exact and approximate values in series along an axis. The axis has numbers, or the words of
/// `order`. Devices, setups, nodes, repeats and notes do not tell series apart unless one count has
/// several of them. An axis that grows or shrinks with the GPUs, such as the global batch of weak
/// scaling, stands in `axes` by its share of one GPU or by its sum where that makes fewer series.
std::vector<PublishedSeries> series_along(const Publication& publication, const std::string& axis,
                                          const Words& order = {});

/// Returns the same for one quantity, including series with one point. Values without a cell of the
/// axis use the count in their `to`.
std::vector<PublishedSeries> stated_along(const Publication& publication,
                                          const std::string& quantity, const std::string& axis);

/// Returns whether the cells of both permit a common point, ignoring `but`.
bool may_be_one_point(const std::map<std::string, std::string>& a,
                      const std::map<std::string, std::string>& b, const std::string& but = "");

/// Returns whether the claim covers these values.
bool concerns(const Published& claim, const PublishedSeries& series);

/// Returns whether the quantity is time for all work or samples per second, from which speed-ups
/// are computed.
bool is_whole_time(const Published& value);
bool is_rate(const Published& value);
/// Returns whether the quantity is samples per second of one GPU.
bool is_gpu_rate(const Published& value);

/// Returns the speed-up from `from` to `to`: t/t' for times, x'/x for rates.
Printed speedup_of(const Published& from, const Published& to);

/// Returns the point with that GPU count, or null.
const Published* at(const PublishedSeries& series, double where);

}  // namespace dlscale::analysis
