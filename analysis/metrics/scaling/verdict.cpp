// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/metrics/scaling/joined_frames.hpp"
#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Axis of the stop rule. Runs with different stop rules are never comparable, even if the stop
/// rule is the axis in which the pair differs.
constexpr const char* kStopRule = "stop_rule";

/// Returns a sentence on a condition that differs between the points, or an empty text if there is
/// none. The points may differ in the compared `axis`. If the compared axis is `source`, points of
/// different plan folders may also differ in the number of nodes and in the conditions that
/// describes_source() names.
std::string unequal_condition(const CurvePoint& a, const CurvePoint& b, const std::string& axis) {
  for (const RunRow* one : a.repeats) {
    for (const RunRow* other : b.repeats) {
      const bool of_sources = axis == kSource && are_of_different_sources(*one, *other);
      for (const auto& [name, value] : one->conditions) {
        const auto found = other->conditions.find(name);
        const bool asked =
            (name == axis && name != kStopRule) || (of_sources && describes_source(name));
        if (asked || found == other->conditions.end() || found->second == value) continue;
        const auto [shown, other_shown] = shown_values(name, *one, *other);
        return fmt::format("{} is \"{}\" and \"{}\"", name, shown, other_shown);
      }
      const bool may_differ_in_nodes = axis == kNodes || of_sources;
      if (!may_differ_in_nodes && a.gpus == b.gpus && one->nodes != other->nodes) {
        return fmt::format("{} and {}", base::count_of(one->nodes, "node"),
                           base::count_of(other->nodes, "node"));
      }
    }
  }
  return "";
}

Verdict compare(std::string axis, Contestant a, Contestant b) {
  if (hodges_lehmann_ratio(b.seconds_per_sample, a.seconds_per_sample).value < 1) std::swap(a, b);
  Verdict verdict{std::move(axis), std::move(a), std::move(b)};
  const std::vector<double>& shorter = verdict.a.seconds_per_sample;
  const std::vector<double>& longer = verdict.b.seconds_per_sample;
  verdict.ratio = hodges_lehmann_ratio(longer, shorter);
  verdict.cliffs_delta = cliffs_delta(longer, shorter);
  verdict.p = mann_whitney(longer, shorter).p;
  verdict.p_of_logs = permutation_test_of_logs(longer, shorter).p;
  return verdict;
}

/// Point of a curve together with the curve's key.
using Place = std::pair<const CurveKey*, const CurvePoint*>;

class Pairing {
 public:
  explicit Pairing(bool allow_mixed) : allow_mixed_(allow_mixed) {}

  void add(const std::string& axis, const Place& a, const Place& b) {
    const std::string reason = unequal_condition(*a.second, *b.second, axis);
    if (!reason.empty() && !allow_mixed_) {
      found_.refused_axes.try_emplace(axis, reason);
      found_.refused.push_back(fmt::format("{}, gpus={} and {}, gpus={}: {}",
                                           name_among(*a.first, {}), a.second->gpus,
                                           name_among(*b.first, {}), b.second->gpus, reason));
      return;
    }
    found_.pairs.push_back(compare(axis, contestant(a), contestant(b)));
  }

  Verdicts judged() {
    std::vector<Verdict*> judged;
    std::vector<double> p;
    for (Verdict& pair : found_.pairs) {
      const std::size_t n_a = pair.a.seconds_per_sample.size();
      if (smallest_p(n_a, pair.b.seconds_per_sample.size()) > kWrongVerdicts) continue;
      judged.push_back(&pair);
      p.push_back(pair.p);
    }
    const std::vector<double> adjusted = holm(p);
    for (std::size_t i = 0; i < judged.size(); ++i) {
      Verdict& pair = *judged[i];
      pair.adjusted_p = adjusted[i];
      pair.finding = adjusted[i] <= kWrongVerdicts ? Finding::Faster : Finding::NotDistinguishable;
      pair.detectable = detectable_ratio(pair.a.seconds_per_sample, pair.b.seconds_per_sample,
                                         kWrongVerdicts / static_cast<double>(judged.size()));
    }
    return std::move(found_);
  }

 private:
  static Contestant contestant(const Place& place) {
    return {*place.first, place.second->gpus, place.second->seconds_per_sample};
  }

  bool allow_mixed_;
  Verdicts found_;
};

/// Returns the only axis in which two keys differ, or an empty text if the keys are equal or differ
/// in several axes.
std::string differing_axis(const CurveKey& a, const CurveKey& b) {
  if (a.size() != b.size()) return "";
  std::string found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (a[i].axis != b[i].axis || !found.empty()) return "";
    found = a[i].axis;
  }
  return found;
}

/// Adds all pairs of points of two curves that have the same GPU count.
void add_equal_counts(Pairing& pairing, const std::string& axis, const ScalingCurve& one,
                      const ScalingCurve& other) {
  for (const CurvePoint& a : one.points) {
    for (const CurvePoint& b : other.points) {
      if (a.gpus == b.gpus) pairing.add(axis, {&one.key, &a}, {&other.key, &b});
    }
  }
}

}  // namespace

bool changes_work(const std::string& axis) {
  static const std::set<std::string> names{"model", "dataset", "batch_per_gpu", "global_batch"};
  return names.contains(axis.substr(0, axis.find('.')));
}

std::string only_difference(const CurveKey& a, const CurveKey& b) {
  const std::string found = differing_axis(a, b);
  return changes_work(found) ? "" : found;
}

Verdicts verdicts_between(const std::vector<ScalingCurve>& curves, bool allow_mixed) {
  Pairing pairing(allow_mixed);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const ScalingCurve& curve = curves[i];
    for (std::size_t k = 1; k < curve.points.size(); ++k) {
      if (!keeps_global_batch(curve.key)) break;
      pairing.add(kGpus, {&curve.key, &curve.points[k - 1]}, {&curve.key, &curve.points[k]});
    }
    for (std::size_t j = i + 1; j < curves.size(); ++j) {
      const std::string axis = only_difference(curve.key, curves[j].key);
      if (!axis.empty()) add_equal_counts(pairing, axis, curve, curves[j]);
    }
  }
  return pairing.judged();
}

Verdicts batch_verdicts(const std::vector<ScalingCurve>& curves, bool allow_mixed) {
  Pairing pairing(allow_mixed);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (std::size_t j = i + 1; j < curves.size(); ++j) {
      const std::string axis = differing_axis(curves[i].key, curves[j].key);
      if (!is_batch(axis)) continue;
      const bool are_known =
          !value_of(curves[i].key, axis).empty() && !value_of(curves[j].key, axis).empty();
      if (are_known) add_equal_counts(pairing, axis, curves[i], curves[j]);
    }
  }
  return pairing.judged();
}

}  // namespace dlscale::analysis
