// SPDX-License-Identifier: Apache-2.0
// Compares the user's results with the published values for the same points.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/publications/measured_value.hpp"

namespace dlscale::analysis {

struct Match {
  const Published* published = nullptr;
  std::string point;  ///< point of the result as text, such as "gpus 8, model resnet50"
  Estimate own;       ///< the user's result in base units, as in Published::number
};

struct Comparison {
  std::vector<Match> matches;               ///< pairs in the order of the publication
  std::vector<const Published*> unmatched;  ///< published values without a matching result
  std::set<std::string> unsaid;  ///< axes of the publication that the results do not state
};

/// Finds, for each published value, the user's results at the same point. A result matches if it
/// agrees with all axes of the published value, one of which must be a count of GPUs or cores. Two
/// kinds of axes are exempt:
/// - Axes that describe the experiment of the publication (device, setup, nodes, epochs, repeats,
///   system) are ignored.
/// - A result may lack the axes framework, model, loader and lr_schedule.
/// Both arguments must outlive the returned object.
Comparison compare(const Publication& publication, const std::vector<OwnPoint>& points);

/// Returns the relative difference (result - published value) / published value. If the publication
/// states a bound or a range, returns 0 for a result within this bound or range, and otherwise the
/// difference from the nearest limit.
double difference(const Published& published, double own);

/// Returns "agrees" if the interval of the result overlaps with the range of the published value,
/// otherwise "higher" or "lower". If the result has no interval, its value is used instead.
std::string verdict(const Match& match);

}  // namespace dlscale::analysis
