// SPDX-License-Identifier: Apache-2.0
// Groups published values that differ in only one axis into series, sorted by that axis.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

struct SeriesPoint {
  double at = 0;  ///< number on the axis; on an axis of words, the index of the word
  const Published* value = nullptr;
};

struct PublishedSeries {
  std::string quantity;
  std::string statistic;
  std::map<std::string, std::string> axes;  ///< cells of the axes that identify the series
  std::vector<SeriesPoint> points;          ///< points in ascending order of `at`
};

/// Axes along which scaling curves run. A value with several of these axes belongs to a curve along
/// the first of them in this list.
inline constexpr std::array<std::string_view, 7> kScalingAxes{
    "gpus", "cores", "ranks", "workers", "processes", "devices", "nodes"};
bool is_scaling_axis(std::string_view axis);

/// Returns the series of exact and approximate values along an axis. Each series has at least two
/// points. The cells of the axis must be numbers or, if `order` is given, words of `order`.
/// Devices, setups, nodes, repeats and notes do not distinguish series unless a series would have
/// several of them at the same count. Some axes grow or shrink with the GPU count, such as the
/// global batch in weak scaling. The values of such an axis in `axes` are divided by the GPU count,
/// or multiplied by it, if this gives fewer series.
std::vector<PublishedSeries> series_along(const Publication& publication, const std::string& axis,
                                          const Words& order = {});

/// Returns the series of one quantity along an axis as series_along() does, and in addition series
/// with one point. A claim without a cell of the axis is placed at the count in its `to`.
std::vector<PublishedSeries> stated_along(const Publication& publication,
                                          const std::string& quantity, const std::string& axis);

/// Returns true if `a` and `b` may describe the same point: in each axis that `a` and `b` both
/// contain, the two cells have a common value. The axis `but` is ignored.
bool may_be_one_point(const std::map<std::string, std::string>& a,
                      const std::map<std::string, std::string>& b, const std::string& but = "");

/// Returns true if a claim is about the values of a series: claim and series agree in quantity,
/// statistic and axes.
bool concerns(const Published& claim, const PublishedSeries& series);

/// is_whole_time() returns true for a time. is_rate() returns true for samples per second of all
/// GPUs. Speed-ups are computed from these quantities.
bool is_whole_time(const Published& value);
bool is_rate(const Published& value);
/// Returns true if the quantity is samples per second of one GPU.
bool is_gpu_rate(const Published& value);

/// Returns the speed-up from the point `from` to the point `to`: the time at `from` divided by the
/// time at `to`, or the rate at `to` divided by the rate at `from`.
Printed speedup_of(const Published& from, const Published& to);

/// Returns the value at the position `where` on the axis, such as a GPU count, or null if the
/// series has no point there.
const Published* at(const PublishedSeries& series, double where);

}  // namespace dlscale::analysis
