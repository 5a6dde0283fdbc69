// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/metrics/scaling/run_points.hpp"

namespace dlscale::analysis {
namespace {

/// Summarises the ended repeats of a point. The result contains the accuracies of the repeats that
/// did not diverge, and counts the repeats that diverged.
AccuracyPoint summarise(const RunPoint& of) {
  const RunRow& first = of.first();
  AccuracyPoint point{of.key, first.gpus, first.batch_per_gpu, first.global_batch, first.lr_peak};
  std::vector<double> finals;
  std::vector<double> bests;
  for (const RunRow* run : of.repeats) {
    if (diverged(*run)) {
      ++point.diverged;
      continue;
    }
    point.repeats.push_back(run);
    finals.push_back(final_accuracy(*run));
    bests.push_back(best_accuracy(*run));
  }
  if (finals.empty()) return point;
  point.final_accuracy = {median(finals), interval_of_median(finals), finals.size()};
  point.best_accuracy = median(bests);
  return point;
}

std::vector<AccuracyPoint> points_of(const Frame& frame, bool with_accuracy) {
  const auto has_ended = [](const RunRow& run) { return has_accuracy(run) || diverged(run); };
  std::vector<AccuracyPoint> points;
  for (const RunPoint& point : run_points(frame, has_ended)) points.push_back(summarise(point));
  std::erase_if(points,
                [&](const AccuracyPoint& point) { return point.repeats.empty() == with_accuracy; });
  return points;
}

}  // namespace

std::vector<AccuracyPoint> accuracy_points(const Frame& frame) {
  return points_of(frame, true);
}

std::vector<AccuracyPoint> diverged_points(const Frame& frame) {
  return points_of(frame, false);
}

std::vector<CurveKey> batch_line_keys(const std::vector<AccuracyPoint>& points) {
  std::map<std::string, std::set<int>> counts;  // GPU counts by key
  std::vector<std::string> texts;
  for (const AccuracyPoint& point : points) {
    texts.push_back(to_string(point.key));
    counts[texts.back()].insert(point.gpus);
  }
  std::vector<CurveKey> keys;
  for (std::size_t i = 0; i < points.size(); ++i) {
    CurveKey key = points[i].key;
    if (keeps_global_batch(key) || counts[texts[i]].size() == 1) {
      std::erase_if(key, [](const AxisValue& entry) { return is_batch(entry.axis); });
      key.push_back({kGpus, std::to_string(points[i].gpus)});
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

Repeats repeats_of(const std::vector<AccuracyPoint>& points) {
  Repeats repeats;
  for (const AccuracyPoint& point : points) repeats.add(point.final_accuracy.n);
  return repeats;
}

namespace {

constexpr const char* kTrainAccuracy = "train_accuracy";

/// Returns the epoch before the last evaluation, or nullptr if it is not recorded. The run must
/// have evaluations.
const EpochRow* last_evaluated_epoch(const RunRow& run) {
  const auto found = std::ranges::find(run.epochs, run.evals.back().epoch, &EpochRow::epoch);
  return found == run.epochs.end() ? nullptr : &*found;
}

}  // namespace

std::optional<GeneralisationGap> loss_gap(const RunRow& run) {
  if (!completed(run) || run.evals.empty()) return std::nullopt;
  const EvalRow& last = run.evals.back();
  const EpochRow* trained = last_evaluated_epoch(run);
  if (trained == nullptr) return std::nullopt;
  if (!std::isfinite(trained->train_loss) || !std::isfinite(last.loss)) return std::nullopt;
  return GeneralisationGap{trained->train_loss, last.loss, last.loss - trained->train_loss};
}

std::optional<GeneralisationGap> accuracy_gap(const RunRow& run) {
  if (!has_accuracy(run)) return std::nullopt;
  const auto metric = run.metrics.find(kTrainAccuracy);
  const EpochRow* trained = last_evaluated_epoch(run);
  std::optional<double> train;
  if (metric != run.metrics.end()) {
    train = metric->second;
  } else if (trained != nullptr) {
    train = trained->train_accuracy;
  }
  if (!train || !std::isfinite(*train)) return std::nullopt;
  return GeneralisationGap{*train, final_accuracy(run), *train - final_accuracy(run)};
}

}  // namespace dlscale::analysis
