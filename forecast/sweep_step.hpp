// SPDX-License-Identifier: Apache-2.0
// Predicts steps with one quantity changed.
#pragma once

#include <string>
#include <vector>

#include "forecast/study_prediction.hpp"

namespace dlscale::forecast {

struct SweptQuantity {
  std::string name;   ///< name in `--sweep`
  std::string id;     ///< column
  std::string title;  ///< description
  std::string unit;
  int decimals = 0;
};

/// Returns the quantity: peak, link, gpus or batch. Throws base::UsageError for other names.
const SweptQuantity& swept_quantity(const std::string& name);

/// A step for one of the values.
struct SweptStep {
  double value = 0;
  predict::StepTime step;
  predict::Band step_s;
};

/// Sweep of a curve at its largest planned GPU count.
struct SweptCurve {
  std::vector<SweptStep> steps;    ///< steps for values with data
  std::vector<std::string> notes;  ///< other values, with reasons
};

/// Varies the peak (TFLOP/s), the link of a node (Gbit/s), the number of GPUs, or the batch per
/// GPU. GPU counts of a strong curve share its global batch. A changed link uses latency and
/// bandwidth instead of measurements. A changed peak is unknown for measured computing times.
SweptCurve swept_curve(const StudyPrediction& study, const PredictedCurve& curve,
                       const Sweep& sweep);

}  // namespace dlscale::forecast
