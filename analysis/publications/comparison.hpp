// SPDX-License-Identifier: Apache-2.0
// Own points beside the published values that are about the same point.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/publications/own_value.hpp"

namespace dlscale::analysis {

struct Match {
  const Published* published = nullptr;
  std::string point;  ///< own, in words
  Estimate own;       ///< in base units, as Published::number
};

struct Comparison {
  std::vector<Match> matches;               ///< in the publication's order
  std::vector<const Published*> unmatched;  ///< values without an own counterpart
  std::set<std::string> unsaid;  ///< axes the publication tells points by and own runs do not say
};

/// Values match points that agree in every axis both know; what is particular to a publication
/// (device, system, repeats) tells no points apart. Both must outlive the result.
Comparison compare(const Publication& publication, const std::vector<OwnPoint>& points);

/// Own against published, as a fraction; for a bound or a range 0 where it is kept.
double difference(const Published& published, double own);

/// "agrees" when the own interval (the value, where there is none) meets what the published value
/// allows, else "higher" or "lower".
std::string verdict(const Match& match);

}  // namespace dlscale::analysis
