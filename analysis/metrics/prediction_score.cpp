// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/prediction_score.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

using RunsOfPoint = std::vector<const RunRow*>;
using contract::RunPrediction;

template <class Value>
std::vector<double> of_each(const RunsOfPoint& repeats, Value value) {
  std::vector<double> values;
  for (const RunRow* run : repeats) {
    if (const std::optional<double> one = value(*run)) values.push_back(*one);
  }
  return values;
}

std::optional<double> rate_of_run(const RunRow& run) {
  return 1 / seconds_per_sample(run);
}

std::optional<double> step(const RunRow& run) {
  return step_time_s(run);
}

/// Returns the training time of all epochs in seconds. Returns an empty value if an epoch has no
/// time, or if the number of epochs differs from the predicted number.
std::optional<double> training_s(const RunRow& run, const RunPrediction& said) {
  if (said.epoch_s.value <= 0) return std::nullopt;
  const double predicted = std::round(said.run_s.value / said.epoch_s.value);
  double sum = 0, epochs = 0;
  for (const EpochRow& epoch : run.epochs) {
    if (!(epoch.wall_s > 0)) return std::nullopt;
    sum += epoch.wall_s;
    ++epochs;
  }
  return epochs == predicted ? std::optional(sum) : std::nullopt;
}

constexpr PredictedQuantity kQuantities[] = {
    {"step_s", "step time", &RunPrediction::step_s,
     [](const KeptPrediction&, const RunsOfPoint& repeats) { return of_each(repeats, step); }},
    {"samples_per_s", "throughput", &RunPrediction::samples_per_s,
     [](const KeptPrediction&, const RunsOfPoint& repeats) {
       return of_each(repeats, rate_of_run);
     }},
    {"epoch_s", "epoch time", &RunPrediction::epoch_s,
     [](const KeptPrediction&, const RunsOfPoint& repeats) {
       return of_each(repeats, epoch_time_s);
     }},
    {"memory_bytes", "memory of a rank", &RunPrediction::memory_bytes,
     [](const KeptPrediction& kept, const RunsOfPoint&) { return kept.memory_bytes; }},
    {"run_s", "training, all epochs", &RunPrediction::run_s,
     [](const KeptPrediction& kept, const RunsOfPoint& repeats) {
       return of_each(repeats, [&](const RunRow& run) { return training_s(run, kept.said); });
     }},
};

}  // namespace

std::span<const PredictedQuantity> predicted_quantities() {
  return kQuantities;
}

RunsById runs_by_id(const Frame& frame) {
  RunsById runs;
  for (const RunRow& run : frame.runs) runs.emplace(run.run_id, &run);
  return runs;
}

std::vector<const RunRow*> runs_of(const RunsById& runs, const KeptPrediction& kept) {
  std::vector<const RunRow*> found;
  for (const std::string& run_id : kept.run_ids) {
    const auto run = runs.find(run_id);
    if (run != runs.end() && has_throughput(*run->second)) found.push_back(run->second);
  }
  // All pointers point into frame.runs, so their order is the frame's order.
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<ScoredValue> score(const Frame& frame, const PredictedQuantity& quantity) {
  std::vector<ScoredValue> values;
  const RunsById runs = runs_by_id(frame);
  for (const KeptPrediction& kept : frame.predictions) {
    const contract::PredictedValue& said = kept.said.*quantity.said;
    if (said.value <= 0) continue;
    const std::vector<const RunRow*> repeats = runs_of(runs, kept);
    if (repeats.empty()) continue;
    const std::vector<double> measured = quantity.measured(kept, repeats);
    if (measured.empty()) continue;
    values.push_back({&kept, repeats.front(), said, median(measured), measured.size()});
  }
  return values;
}

std::optional<ErrorSummary> summary_of(const std::vector<ScoredValue>& values) {
  if (values.empty()) return std::nullopt;
  ErrorSummary summary{.points = values.size()};
  std::vector<double> sizes, errors;
  for (const ScoredValue& value : values) {
    const double error = value.error();
    if (summary.worst == nullptr || std::abs(error) > std::abs(summary.worst_error)) {
      summary.worst_error = error;
      summary.worst = value.run;
    }
    errors.push_back(error);
    sizes.push_back(std::abs(error));
    if (value.inside()) ++summary.inside;
    if (value.kept->afterwards) ++summary.afterwards;
  }
  summary.median_error = median(sizes);
  summary.bias = median(errors);
  return summary;
}

}  // namespace dlscale::analysis
