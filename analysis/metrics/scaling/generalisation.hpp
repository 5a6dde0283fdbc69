// SPDX-License-Identifier: Apache-2.0
// How much worse a run is on the test set than on what it was trained on.
#pragma once

#include <optional>

#include "analysis/frame.hpp"

namespace dlscale::analysis {

/// A quantity on both sets at the last evaluation.
struct GeneralisationGap {
  double train = 0;
  double test = 0;
  double gap = 0;  ///< positive where the test set is worse
};

/// Test loss - training loss. The training loss is the mean over the epoch that was evaluated, of
/// augmented and smoothed targets where a study says so; nothing where one of the two is missing.
std::optional<GeneralisationGap> loss_gap(const RunRow& run);

/// Training accuracy - test accuracy, of runs of which the last evaluation has a metric
/// "train_accuracy"; nothing for others.
std::optional<GeneralisationGap> accuracy_gap(const RunRow& run);

}  // namespace dlscale::analysis
