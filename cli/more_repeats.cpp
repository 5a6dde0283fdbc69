// SPDX-License-Identifier: Apache-2.0
#include "cli/more_repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "analysis/scaling/baseline.hpp"
#include "analysis/scaling/curve.hpp"
#include "analysis/scaling/efficiency.hpp"
#include "analysis/store/frame_reader.hpp"
#include "analysis/store/ingest.hpp"
#include "runner/run_states.hpp"

namespace dlscale::cli {
namespace {

/// What all repetitions of a point are called: "x" of "x-r2".
std::string stem_of(const std::string& run_id) {
  return run_id.substr(0, run_id.rfind("-r"));
}

bool is_certain(const analysis::Estimate& efficiency, double half_width) {
  if (efficiency.interval.kind == analysis::Interval::Kind::None) return false;
  return efficiency.interval.high - efficiency.interval.low <= 2 * half_width;
}

/// The points of a curve that are less certain than asked. They are divided by the baseline, so
/// that gets a further repetition, too, where it has not more than they have.
void add_uncertain(const analysis::ScalingCurve& curve, const analysis::Baseline& baseline,
                   double half_width, std::set<std::string>& stems) {
  std::size_t most = 0;
  for (const analysis::CurvePoint& point : curve.points) {
    if (point.gpus == baseline.gpus()) continue;
    if (is_certain(analysis::efficiency(point, baseline), half_width)) continue;
    stems.insert(stem_of(point.repeats.front()->run_id));
    most = std::max(most, point.repeats.size());
  }
  for (const analysis::CurvePoint& point : curve.points) {
    const bool divides = point.gpus == baseline.gpus() && point.repeats.size() <= most;
    if (divides) stems.insert(stem_of(point.repeats.front()->run_id));
  }
}

/// Of each point that `folder`'s results leave uncertain.
std::set<std::string> uncertain_points(const contract::PlanDir& folder, double half_width) {
  analysis::ingest(folder);
  const analysis::Frame frame = analysis::read_frame(folder);
  const auto curves = analysis::scaling_curves(frame);
  const auto choices = analysis::choose_baselines(curves, frame.baseline, false);
  std::set<std::string> stems;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (choices[i].baseline) add_uncertain(curves[i], *choices[i].baseline, half_width, stems);
  }
  return stems;
}

/// Of each point the first repetition that nobody has asked for.
std::set<std::string> next_repeats(const LaunchFolder& place, const RunIds& selected) {
  const auto stems = uncertain_points(place.folder, place.plan.until.efficiency_ci);
  const auto states = runner::run_states(place.plan, place.folder);
  std::map<std::string, const contract::PlannedRun*> next;  // by stem
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
    std::cout << fmt::format(
        "{} of points whose efficiency is not known to ±{:g} yet\n",
        runs.size() == 1 ? "one more repetition" : fmt::format("{} more repetitions", runs.size()),
        place.plan.until.efficiency_ci);
  }
  return runs;
}

}  // namespace

std::function<std::set<std::string>()> more_repeats(const LaunchFolder& place, RunIds selected) {
  if (place.plan.until.efficiency_ci == 0) return {};
  return [&place, selected = std::move(selected)] { return next_repeats(place, selected); };
}

RunIds without_more_repeats(const contract::Plan& plan, const RunIds& selected) {
  if (plan.until.efficiency_ci == 0) return selected;
  RunIds first;
  for (const contract::PlannedRun& run : plan.runs) {
    const bool wanted = run.repetition <= plan.until.first && selected.contains(run.run_id);
    if (wanted) first.insert(run.run_id);
  }
  return first;
}

}  // namespace dlscale::cli
