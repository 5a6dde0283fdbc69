// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/run_points.hpp"

#include <map>
#include <tuple>

namespace dlscale::analysis {

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
