// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "contract/run_spec/run_id.hpp"

namespace dlscale::planner {
namespace {

using contract::PlannedRun;

/// Point of a scaling curve, linked to the neighbouring points that are still in the plan.
struct RunPlace {
  std::size_t first_run;
  int gpus;
  double gpu_hours = 0;
  RunPlace *before = nullptr, *after = nullptr;
};

using Curve = std::map<std::string, std::string>;

std::vector<RunPlace> places_of(std::span<const PlannedRun> runs) {
  std::vector<RunPlace> places;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool repeated =
        !places.empty() && contract::point_id(runs[places.back().first_run].run_id) ==
                               contract::point_id(runs[i].run_id);
    if (!repeated) places.push_back({i, runs[i].gpus});
    places.back().gpu_hours += runs[i].gpu_hours;
  }
  return places;
}

void link_curves(std::span<const PlannedRun> runs, std::vector<RunPlace>& places) {
  std::map<Curve, std::vector<RunPlace*>> curves;
  for (RunPlace& place : places) {
    Curve curve = runs[place.first_run].point;
    curve.erase("gpus");
    curves[std::move(curve)].push_back(&place);
  }
  for (auto& [curve, points] : curves) {
    std::stable_sort(points.begin(), points.end(),
                     [](const RunPlace* a, const RunPlace* b) { return a->gpus < b->gpus; });
    for (std::size_t i = 1; i < points.size(); ++i) {
      points[i]->before = points[i - 1];
      points[i - 1]->after = points[i];
    }
  }
}

/// Queue of the points that may be left out. The first point in the queue is left out next.
class Queue {
 public:
  explicit Queue(int baseline_gpus) : baseline_gpus_(baseline_gpus) {}

  void put(RunPlace* place) {
    if (removable(place)) queue_.insert(key(place));
  }
  void remove(RunPlace* place) {
    if (removable(place)) queue_.erase(key(place));
  }
  bool empty() const { return queue_.empty(); }
  /// Removes the first point from the queue, links its two neighbours to each other and returns the
  /// point.
  RunPlace* pop() {
    RunPlace* place = std::get<RunPlace*>(*queue_.begin());
    RunPlace *before = place->before, *after = place->after;
    for (RunPlace* changed : {place, before, after}) remove(changed);
    before->after = after;
    after->before = before;
    for (RunPlace* changed : {before, after}) put(changed);
    return place;
  }

 private:
  using Key = std::tuple<double, double, std::size_t, RunPlace*>;
  static Key key(RunPlace* place) {
    const double gap = static_cast<double>(place->after->gpus) / place->before->gpus;
    return {gap, -place->gpu_hours, place->first_run, place};
  }
  bool removable(const RunPlace* place) const {
    return place->before != nullptr && place->after != nullptr && place->gpus != baseline_gpus_;
  }

  int baseline_gpus_;
  std::set<Key> queue_;
};

}  // namespace

std::vector<FacetCost> cost_by_facet(const contract::Plan& plan) {
  std::vector<FacetCost> costs;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const contract::Axis& axis : plan.axes) {
    for (const std::string& value : axis.values) {
      places[{axis.name, value}] = costs.size();
      costs.push_back({axis.name, value});
    }
  }
  for (const PlannedRun& run : plan.runs) {
    for (const auto& facet : run.point) {
      const auto place = places.find(facet);
      if (place == places.end()) continue;
      ++costs[place->second].runs;
      costs[place->second].gpu_hours += run.gpu_hours;
    }
  }
  costs.erase(std::remove_if(costs.begin(), costs.end(), [](const auto& c) { return c.runs == 0; }),
              costs.end());
  return costs;
}

double total_gpu_hours(std::span<const PlannedRun> runs) {
  double sum = 0;
  for (const PlannedRun& run : runs) sum += run.gpu_hours;
  return sum;
}

bool within_budget(double gpu_hours, double limit) {
  constexpr double kRounding = 1 + 1e-9;
  return gpu_hours <= limit * kRounding;
}

Fit fit_budget(std::span<const PlannedRun> runs, double limit, int baseline_gpus) {
  std::vector<RunPlace> places = places_of(runs);
  link_curves(runs, places);
  Queue queue(baseline_gpus);
  for (RunPlace& place : places) queue.put(&place);
  Fit fit{{}, total_gpu_hours(runs)};
  while (!within_budget(fit.gpu_hours, limit) && !queue.empty()) {
    const RunPlace* place = queue.pop();
    fit.gpu_hours -= place->gpu_hours;
    fit.dropped.push_back(
        {place->first_run,
         fmt::format("left out to stay within {:g} GPU-hours: the point takes {:.4g} GPU-hours and "
                     "lies between {} and {} GPUs (both ends of a curve are kept; points with the "
                     "closest neighbours are removed first, and among equally close points the "
                     "most expensive one)",
                     limit, place->gpu_hours, place->before->gpus, place->after->gpus)});
  }
  return fit;
}

}  // namespace dlscale::planner
