// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/generalisation.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::analysis {
namespace {

constexpr const char* kTrainAccuracy = "train_accuracy";

}  // namespace

std::optional<GeneralisationGap> loss_gap(const RunRow& run) {
  if (!completed(run) || run.evals.empty()) return std::nullopt;
  const EvalRow& last = run.evals.back();
  const auto trained =
      std::find_if(run.epochs.begin(), run.epochs.end(),
                   [&](const EpochRow& epoch) { return epoch.epoch == last.epoch; });
  if (trained == run.epochs.end()) return std::nullopt;
  if (!std::isfinite(trained->train_loss) || !std::isfinite(last.loss)) return std::nullopt;
  return GeneralisationGap{trained->train_loss, last.loss, last.loss - trained->train_loss};
}

std::optional<GeneralisationGap> accuracy_gap(const RunRow& run) {
  const auto train = run.metrics.find(kTrainAccuracy);
  if (!has_accuracy(run) || train == run.metrics.end() || !std::isfinite(train->second)) {
    return std::nullopt;
  }
  return GeneralisationGap{train->second, final_accuracy(run), train->second - final_accuracy(run)};
}

}  // namespace dlscale::analysis
