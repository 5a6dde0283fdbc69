// SPDX-License-Identifier: Apache-2.0
// Compares the user's results with the published values for the same points.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/publications/measured_value.hpp"
#include "analysis/publications/model_value.hpp"

namespace dlscale::analysis {

/// The user's results that are compared with a publication.
struct OwnResults {
  std::vector<OwnPoint> points;  ///< measured, planned and, if the user wants, predicted points
  ModelData models;
  /// True: predicted values are left out if the same published value has another counterpart.
  bool measured_first = false;
};

struct Match {
  const Published* published = nullptr;
  std::string point;   ///< point of the result as text, such as "gpus 8, model resnet50"
  std::string source;  ///< kind of the result: source_of(), or ModelValue::source
  Estimate own;        ///< the user's result in base units, as in Published::number
  /// Whether a claim holds for the user's results. Absent for values and for claims with a number.
  std::optional<bool> holds;
};

struct Unmatched {
  const Published* published = nullptr;
  std::string reason;  ///< reason why the user's results have no counterpart
};

struct Comparison {
  std::vector<Match> matches;        ///< pairs in the order of the publication
  std::vector<Unmatched> unmatched;  ///< published values without a matching result
  std::size_t values = 0;            ///< number of published values and claims
  std::size_t predicted = 0;  ///< number of values that have only predictions as counterparts
  /// Number of other entries: properties of hardware, definitions and words.
  std::size_t descriptions = 0;
  std::set<std::string> unsaid;  ///< axes of the publication that the results do not state
  std::size_t matched() const { return values - unmatched.size(); }
};

/// Returns true if an entry describes the hardware or the methods of the publication, or is a word.
/// Runs do not produce such entries.
bool is_description(const Published& published);

/// Finds, for each published value or claim, the user's results at the same point. A result matches
/// if it agrees with all axes of the published value, one of which must be a count of GPUs or
/// cores, unless the quantity is the same at all counts. The names of the publication are
/// translated (published_names.hpp). Exceptions:
/// - Axes that describe the experiment of the publication (device, setup, nodes, epochs, repeats,
///   system, input_features) are ignored.
/// - A result may lack the axes framework, model, loader and lr_schedule.
/// - A result on CPUs also matches a published count of GPUs that equals its number of ranks.
/// A value without a match has a reason. Both arguments must outlive the returned object.
Comparison compare(const Publication& publication, const OwnResults& own);

/// Returns the relative difference (result - published value) / published value. If the publication
/// states a bound or a range, returns 0 for a result within this bound or range, and otherwise the
/// difference from the nearest limit. Requires a published number.
double difference(const Published& published, double own);

/// Returns "agrees" if the interval of the result overlaps with the range of the published value,
/// otherwise "higher" or "lower". If the result has no interval, its value is used instead. For a
/// claim without a number, returns "agrees" or "disagrees".
std::string verdict(const Match& match);

}  // namespace dlscale::analysis
