// SPDX-License-Identifier: Apache-2.0
// Compares results with the published values for the same points.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/publications/measured_value.hpp"

namespace dlscale::analysis {

struct Match {
  const Published* published = nullptr;
  std::string point;  ///< point of the results, as text
  Estimate own;       ///< in base units, see Published::number
};

struct Comparison {
  std::vector<Match> matches;               ///< in the order of the publication
  std::vector<const Published*> unmatched;  ///< published values without a matching result
  std::set<std::string> unsaid;  ///< axes of the publication that the results do not have
};

/// Matches published values with points that agree in all common axes. Axes specific to a
/// publication (device, system, repeats) are ignored. Both arguments must outlive the result.
Comparison compare(const Publication& publication, const std::vector<OwnPoint>& points);

/// Returns the difference between result and published value, as a fraction; 0 for a bound or range
/// that is kept.
double difference(const Published& published, double own);

/// Returns "agrees" if the interval of the result (or its value without an interval) overlaps with
/// the range of the published value, otherwise "higher" or "lower".
std::string verdict(const Match& match);

}  // namespace dlscale::analysis
