// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling/accuracy_vs_batch.hpp"

#include <map>
#include <tuple>

namespace dlscale::analysis {
namespace {

AccuracyPoint summarise(const Frame& frame, const std::vector<const RunRow*>& repeats) {
  const RunRow& first = *repeats.front();
  AccuracyPoint point{curve_key(frame, first),
                      first.gpus,
                      first.batch_per_gpu,
                      first.global_batch,
                      first.lr_peak,
                      {},
                      0,
                      repeats};
  std::vector<double> finals;
  std::vector<double> bests;
  for (const RunRow* run : repeats) {
    finals.push_back(final_accuracy(*run));
    bests.push_back(best_accuracy(*run));
  }
  point.final_accuracy = {median(finals), interval_of_median(finals), finals.size()};
  point.best_accuracy = median(bests);
  return point;
}

}  // namespace

std::vector<AccuracyPoint> accuracy_points(const Frame& frame) {
  using Order = std::tuple<std::vector<std::size_t>, std::string, int, std::int64_t>;
  std::map<Order, std::vector<const RunRow*>> groups;
  for (const RunRow& run : frame.runs) {
    if (!has_accuracy(run)) continue;
    const CurveKey key = curve_key(frame, run);
    groups[{rank_of(frame, key), to_string(key), run.gpus, run.global_batch}].push_back(&run);
  }
  std::vector<AccuracyPoint> points;
  for (const auto& [order, repeats] : groups) points.push_back(summarise(frame, repeats));
  return points;
}

Repeats repeats_of(const std::vector<AccuracyPoint>& points) {
  Repeats repeats;
  for (const AccuracyPoint& point : points) repeats.add(point.final_accuracy.n);
  return repeats;
}

}  // namespace dlscale::analysis
