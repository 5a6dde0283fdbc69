// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/accuracy_loss.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

/// Points that differ only in the global batch.
struct BatchLine {
  CurveKey key;
  std::vector<const AccuracyPoint*> points;
};

std::vector<BatchLine> batch_lines(const std::vector<AccuracyPoint>& points) {
  std::vector<BatchLine> lines;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<CurveKey> keys = batch_line_keys(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const AccuracyPoint& point = points[i];
    if (point.global_batch <= 0 || point.repeats.empty()) continue;
    CurveKey& key = keys[i];
    const auto [place, is_new] = places.try_emplace(to_string(key), lines.size());
    if (is_new) lines.push_back({std::move(key), {}});
    lines[place->second].points.push_back(&point);
  }
  for (BatchLine& line : lines) {
    std::stable_sort(line.points.begin(), line.points.end(), [](const auto* a, const auto* b) {
      return a->global_batch < b->global_batch;
    });
  }
  return lines;
}

std::vector<double> finals_of(const AccuracyPoint& point) {
  std::vector<double> values;
  for (const RunRow* run : point.repeats) values.push_back(final_accuracy(*run));
  return values;
}

std::vector<const RunRow*> runs_of(const BatchLine& line) {
  std::vector<const RunRow*> runs;
  for (const AccuracyPoint* point : line.points) {
    runs.insert(runs.end(), point->repeats.begin(), point->repeats.end());
  }
  return runs;
}

}  // namespace

std::vector<AccuracyLosses> accuracy_losses(const std::vector<AccuracyPoint>& points) {
  std::vector<AccuracyLosses> list;
  std::vector<std::size_t> tested;  // indices of the tested groups
  std::vector<double> p, smallest;  // the second list has the smallest p that the repeats allow
  for (BatchLine& line : batch_lines(points)) {
    const AccuracyPoint& first = *line.points.front();
    const std::vector<double> reference = finals_of(first);
    AccuracyLosses group{std::move(line.key), first.global_batch, median(reference), {}};
    for (const AccuracyPoint* point : line.points) {
      if (point->global_batch == first.global_batch) continue;
      const std::vector<double> values = finals_of(*point);
      group.losses.push_back(
          {point->global_batch,
           median(values),
           {group.first_accuracy - median(values), interval_of_difference(reference, values),
            std::min(reference.size(), values.size())}});
    }
    if (group.losses.empty()) continue;
    group.mixed = mixed_conditions(runs_of(line));
    const std::vector<double> last = finals_of(*line.points.back());
    if (smallest_p(reference.size(), last.size()) <= kWrongVerdicts) {
      tested.push_back(list.size());
      p.push_back(mann_whitney(reference, last).p);
      smallest.push_back(smallest_p(reference.size(), last.size()));
    }
    list.push_back(std::move(group));
  }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    const bool can_differ = smallest[i] * static_cast<double>(tested.size()) <= kWrongVerdicts;
    if (adjusted[i] <= kWrongVerdicts) {
      list[tested[i]].finding = Finding::Faster;
    } else if (can_differ || p[i] > kWrongVerdicts) {
      list[tested[i]].finding = Finding::NotDistinguishable;
    }
  }
  return list;
}

}  // namespace dlscale::analysis
