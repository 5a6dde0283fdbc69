// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/adaptive_repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "base/error.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::workspace {
namespace {

/// Returns the part of a run id that all repetitions of a point share: "x" for "x-r2".
std::string stem_of(const std::string& run_id) {
  return run_id.substr(0, run_id.rfind("-r"));
}

/// Returns half the width of an interval, or nothing if there is no interval.
std::optional<double> half_width(const analysis::Estimate& efficiency) {
  if (efficiency.interval.kind == analysis::Interval::Kind::None) return std::nullopt;
  return (efficiency.interval.high - efficiency.interval.low) / 2;
}

/// Points of one curve, sorted by whether they need another repetition. A point is identified by
/// the common part of its run ids.
struct CurveNeeds {
  std::string baseline;  ///< baseline point of the curve
  /// Other points whose efficiency is known well enough, with half the width of the efficiency's
  /// confidence interval.
  std::map<std::string, double> certain;
  std::set<std::string> more;  ///< points that need another repetition
};

/// Returns the points of a curve that need another repetition. These are the points whose interval
/// has a half-width above `wanted`. The baseline also needs a repetition if it does not have more
/// repetitions than these points.
CurveNeeds needs_of(const analysis::ScalingCurve& curve, const analysis::Baseline& baseline,
                    double wanted) {
  CurveNeeds needs;
  std::size_t most = 0, of_baseline = 0;
  for (const analysis::CurvePoint& point : curve.points) {
    const std::string stem = stem_of(point.repeats.front()->run_id);
    if (point.gpus == baseline.gpus()) {
      needs.baseline = stem;
      of_baseline = point.repeats.size();
      continue;
    }
    const auto half = half_width(analysis::efficiency(point, baseline));
    if (half && *half <= wanted) {
      needs.certain[stem] = *half;
    } else {
      needs.more.insert(stem);
      most = std::max(most, point.repeats.size());
    }
  }
  if (of_baseline <= most) needs.more.insert(needs.baseline);
  return needs;
}

/// Returns the needs of each curve that has a baseline, from the results in the folder.
std::vector<CurveNeeds> read_needs(const contract::PlanDir& folder, double wanted) {
  analysis::ingest(folder);
  const analysis::Frame frame = analysis::read_frame(folder);
  const auto curves = analysis::scaling_curves(frame);
  const auto choices = analysis::choose_baselines(curves, frame.baseline, false);
  std::vector<CurveNeeds> needs;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (choices[i].baseline) needs.push_back(needs_of(curves[i], *choices[i].baseline, wanted));
  }
  return needs;
}

/// Returns the next planned repetition of each point that needs another repetition.
std::set<std::string> next_repeats(const LaunchFolder& place, const RunIds& selected) {
  std::set<std::string> stems;
  for (CurveNeeds& needs : read_needs(place.folder, place.plan.until.efficiency_ci)) {
    stems.merge(needs.more);
  }
  const auto states = runner::run_states(place.plan, place.folder);
  std::map<std::string, const contract::PlannedRun*> next;  // key: common part of the run ids
  for (const contract::PlannedRun& run : place.plan.runs) {
    const std::string stem = stem_of(run.run_id);
    if (!stems.contains(stem) || !selected.contains(run.run_id)) continue;
    if (states.at(run.run_id) != runner::JobState::Planned) continue;
    const contract::PlannedRun*& first = next[stem];
    if (first == nullptr || run.repetition < first->repetition) first = &run;
  }
  std::set<std::string> runs;
  for (const auto& [stem, run] : next) runs.insert(run->run_id);
  if (!runs.empty()) {
    place.words << fmt::format(
        "{} of points whose efficiency is not yet known to ±{:g}\n",
        runs.size() == 1 ? "one more repetition" : fmt::format("{} more repetitions", runs.size()),
        place.plan.until.efficiency_ci);
  }
  return runs;
}

bool is_extra(const contract::Plan& plan, const contract::PlannedRun& run) {
  return run.repetition > plan.until.first;
}

/// Returns the points with an unfinished first repetition. The first repetitions are those that
/// always run.
std::set<std::string> begun_points(const contract::Plan& plan, const States& states) {
  std::set<std::string> begun;
  for (const contract::PlannedRun& run : plan.runs) {
    const bool ended = is_extra(plan, run) || runner::has_ended(states.at(run.run_id));
    if (!ended) begun.insert(stem_of(run.run_id));
  }
  return begun;
}

/// Returns the points that need no repetition, with the reason. The points of a curve are left out
/// while the baseline is unfinished. A baseline is left out while another point is unfinished,
/// because that point may need more repetitions of the baseline.
std::map<std::string, std::string> certain_points(const std::vector<CurveNeeds>& curves,
                                                  const std::set<std::string>& begun) {
  std::map<std::string, std::string> why;
  for (const CurveNeeds& curve : curves) {
    if (begun.contains(curve.baseline)) continue;
    for (const auto& [stem, half] : curve.certain) {
      why[stem] = fmt::format("not needed: the efficiency is known to ±{:.2g}", half);
    }
    if (curve.more.empty() && begun.empty()) {
      why[curve.baseline] = "not needed: all efficiencies relative to this baseline are known";
    }
  }
  return why;
}

/// Reason for points that are in no curve although all repetitions that always run have ended.
constexpr const char* kNoEfficiency = "not needed until the first repetitions give an efficiency";

}  // namespace

std::function<std::set<std::string>()> adaptive_repeats(const LaunchFolder& place,
                                                        RunIds selected) {
  if (place.plan.until.efficiency_ci == 0) return {};
  return [&place, selected = std::move(selected)] { return next_repeats(place, selected); };
}

RunIds without_adaptive_repeats(const contract::Plan& plan, const RunIds& selected) {
  if (plan.until.efficiency_ci == 0) return selected;
  RunIds first;
  for (const contract::PlannedRun& run : plan.runs) {
    const bool wanted = run.repetition <= plan.until.first && selected.contains(run.run_id);
    if (wanted) first.insert(run.run_id);
  }
  return first;
}

std::map<std::string, std::string> unneeded_repeats(const contract::Plan& plan,
                                                    const contract::PlanDir& folder,
                                                    const States& states) {
  std::map<std::string, std::string> unneeded;
  if (plan.until.efficiency_ci == 0) return unneeded;
  const std::set<std::string> begun = begun_points(plan, states);
  std::vector<const contract::PlannedRun*> candidates;
  for (const contract::PlannedRun& run : plan.runs) {
    const bool planned = states.at(run.run_id) == runner::JobState::Planned;
    const bool open = begun.contains(stem_of(run.run_id));
    if (is_extra(plan, run) && planned && !open) candidates.push_back(&run);
  }
  if (candidates.empty()) return unneeded;
  std::vector<CurveNeeds> curves;
  try {
    curves = read_needs(folder, plan.until.efficiency_ci);
  } catch (const base::Error&) {
    return unneeded;  // `dlscale submit` reports the error
  }
  std::set<std::string> needed;
  for (const CurveNeeds& curve : curves) needed.insert(curve.more.begin(), curve.more.end());
  const auto why = certain_points(curves, begun);
  for (const contract::PlannedRun* run : candidates) {
    const std::string stem = stem_of(run->run_id);
    const auto found = why.find(stem);
    if (found != why.end()) {
      unneeded[run->run_id] = found->second;
    } else if (begun.empty() && !needed.contains(stem)) {
      unneeded[run->run_id] = kNoEfficiency;
    }
  }
  return unneeded;
}

States states_now(const contract::Plan& plan, const contract::PlanDir& folder) {
  States states = runner::run_states(plan, folder);
  for (const auto& [run, why] : unneeded_repeats(plan, folder, states)) {
    states[run] = runner::JobState::NotNeeded;
  }
  return states;
}

}  // namespace dlscale::workspace
