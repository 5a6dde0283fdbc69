// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling/accuracy_vs_batch.hpp"

#include "analysis/scaling/run_points.hpp"

namespace dlscale::analysis {
namespace {

AccuracyPoint summarise(const RunPoint& of) {
  const RunRow& first = of.first();
  AccuracyPoint point{of.key, first.gpus, first.batch_per_gpu, first.global_batch, first.lr_peak,
                      {},     0,          of.repeats};
  std::vector<double> finals;
  std::vector<double> bests;
  for (const RunRow* run : of.repeats) {
    finals.push_back(final_accuracy(*run));
    bests.push_back(best_accuracy(*run));
  }
  point.final_accuracy = {median(finals), interval_of_median(finals), finals.size()};
  point.best_accuracy = median(bests);
  return point;
}

}  // namespace

std::vector<AccuracyPoint> accuracy_points(const Frame& frame) {
  std::vector<AccuracyPoint> points;
  for (const RunPoint& point : run_points(frame, &has_accuracy)) {
    points.push_back(summarise(point));
  }
  return points;
}

Repeats repeats_of(const std::vector<AccuracyPoint>& points) {
  Repeats repeats;
  for (const AccuracyPoint& point : points) repeats.add(point.final_accuracy.n);
  return repeats;
}

}  // namespace dlscale::analysis
