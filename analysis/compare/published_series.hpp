// SPDX-License-Identifier: Apache-2.0
// Published values that differ in one axis alone, in its order.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/compare/reference_study.hpp"

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

/// Of exact and approximate values. The axis has numbers, or the words of `order`. Devices, setups,
/// nodes and repeats do not tell series apart: they come with the axis.
std::vector<PublishedSeries> series_along(const Publication& publication, const std::string& axis,
                                          const Words& order = {});

/// The cells of both allow that they are about one point; `but` is not looked at.
bool may_be_one_point(const std::map<std::string, std::string>& a,
                      const std::map<std::string, std::string>& b, const std::string& but = "");

/// The claim is about these values.
bool concerns(const Published& claim, const PublishedSeries& series);

/// Seconds for all the work, or samples a second: what a speed-up is made of.
bool is_whole_time(const Published& value);
bool is_rate(const Published& value);

/// By how much `to` is faster than `from`: t/t' of times, x'/x of rates.
Printed speedup_of(const Published& from, const Published& to);

/// The point of that GPU count, or null.
const Published* at(const PublishedSeries& series, double where);

}  // namespace dlscale::analysis
