// SPDX-License-Identifier: Apache-2.0
// Published values that differ in one axis alone, in its order.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

struct SeriesPoint {
  double at = 0;  ///< the axis' number, or where it stands in the order
  const Published* value = nullptr;
};

struct PublishedSeries {
  std::string quantity;
  std::string statistic;
  std::map<std::string, std::string> axes;  ///< the others
  std::vector<SeriesPoint> points;          ///< ascending, two or more
};

/// Axes along which curves are drawn. A value belongs to the first of them that it has.
inline constexpr std::array<std::string_view, 7> kScalingAxes{
    "gpus", "cores", "ranks", "workers", "processes", "devices", "nodes"};
bool is_scaling_axis(std::string_view axis);

/// Exact and approximate values in series along an axis. The axis has numbers, or the words of
/// `order`. Devices, setups, nodes, repeats and notes do not tell series apart unless one count has
/// several of them. An axis that grows or shrinks with the GPUs, such as the global batch of weak
/// scaling, stands in `axes` by its share of one GPU or by its sum where that makes fewer series.
std::vector<PublishedSeries> series_along(const Publication& publication, const std::string& axis,
                                          const Words& order = {});

/// Likewise of one quantity, series of one point included. Values without a cell of the axis stand
/// at the count that they state with `to`.
std::vector<PublishedSeries> stated_along(const Publication& publication,
                                          const std::string& quantity, const std::string& axis);

/// The cells of both allow that they are about one point; `but` is not looked at.
bool may_be_one_point(const std::map<std::string, std::string>& a,
                      const std::map<std::string, std::string>& b, const std::string& but = "");

/// The claim is about these values.
bool concerns(const Published& claim, const PublishedSeries& series);

/// Seconds for all the work, or samples a second: what a speed-up is made of.
bool is_whole_time(const Published& value);
bool is_rate(const Published& value);
/// Samples a second of one GPU.
bool is_gpu_rate(const Published& value);

/// By how much `to` is faster than `from`: t/t' of times, x'/x of rates.
Printed speedup_of(const Published& from, const Published& to);

/// The point of that GPU count, or null.
const Published* at(const PublishedSeries& series, double where);

}  // namespace dlscale::analysis
