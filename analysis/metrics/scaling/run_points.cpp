// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/run_points.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "contract/run_outcome.hpp"

namespace dlscale::analysis {
namespace {

/// Returns true for a run that dlscale-train recorded. Third-party logs have no condition
/// "trainer".
bool is_own_record(const RunRow& run) {
  return run.conditions.contains("trainer");
}

}  // namespace

bool tells(const RunRow& run, contract::StepPart part) {
  return part == contract::StepPart::other || is_own_record(run) ||
         run.steps.parts_s[static_cast<std::size_t>(part)] > 0;
}

bool tells(const std::vector<const RunRow*>& runs, contract::StepPart part) {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const RunRow* run) { return tells(*run, part); });
}

bool tells_steps(const std::vector<const RunRow*>& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const RunRow* run) { return run->steps.tells_steps; });
}

bool tells_time(const RunRow& run) {
  return run.steps.tells_steps || run.spent.kept_s > 0;
}

bool tells_bytes_sent(const RunRow& run) {
  return is_own_record(run) || run.steps.bytes_sent > 0;
}

std::vector<RunPoint> run_points(const Frame& frame,
                                 const std::function<bool(const RunRow&)>& fits) {
  using Order = std::tuple<std::vector<std::size_t>, std::string, int, std::int64_t>;
  std::map<Order, RunPoint> groups;
  const CurveKeys keys(frame);
  for (const RunRow& run : frame.runs) {
    if (!fits(run)) continue;
    CurveKey key = keys.of(run);
    RunPoint& point = groups[{rank_of(frame, key), to_string(key), run.gpus, run.global_batch}];
    point.key = std::move(key);
    point.repeats.push_back(&run);
  }
  std::vector<RunPoint> points;
  for (auto& [order, point] : groups) points.push_back(std::move(point));
  return points;
}

std::vector<RunPoint> failed_points(const Frame& frame) {
  using enum contract::RunOutcome;
  std::vector<RunPoint> points = run_points(frame, [](const RunRow&) { return true; });
  std::erase_if(points, [](const RunPoint& point) {
    return !std::ranges::all_of(point.repeats, [](const RunRow* run) {
      const auto outcomes = {Failed, OutOfMemory, TimedOut, NodeFailed, Diverged, Lost};
      return std::ranges::any_of(outcomes, [&](contract::RunOutcome outcome) {
        return run->outcome == contract::to_string(outcome);
      });
    });
  });
  return points;
}

std::vector<CurveKey> keys_of(const std::vector<RunPoint>& points) {
  std::vector<CurveKey> keys;
  for (const RunPoint& point : points) keys.push_back(point.key);
  return keys;
}

Repeats repeats_of(const std::vector<RunPoint>& points) {
  Repeats repeats;
  for (const RunPoint& point : points) repeats.add(point.repeats.size());
  return repeats;
}

}  // namespace dlscale::analysis
