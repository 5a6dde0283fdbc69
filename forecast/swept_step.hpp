// SPDX-License-Identifier: Apache-2.0
// Steps where one quantity is otherwise than planned.
#pragma once

#include <string>
#include <vector>

#include "forecast/predicted_study.hpp"

namespace dlscale::forecast {

struct SweptQuantity {
  std::string name;   ///< as `--sweep` has it
  std::string id;     ///< column
  std::string title;  ///< for people
  std::string unit;
  int decimals = 0;
};

/// peak, link, gpus, batch. Throws base::UsageError for another.
const SweptQuantity& swept_quantity(const std::string& name);

/// A step with one of the values.
struct SweptStep {
  double value = 0;
  predict::StepTime step;
  predict::Band step_s;
};

/// Of a curve on the most GPUs that are planned.
struct SweptCurve {
  std::vector<SweptStep> steps;    ///< of those values of which something is known
  std::vector<std::string> notes;  ///< the others, and why nothing is
};

/// With each peak (TFLOP/s), link of a node (Gbit/s), number of GPUs, or batch of a GPU. Other GPUs
/// of a strong curve share its global batch. A link that is otherwise goes by its latency and
/// bandwidth, whatever was measured; of a peak nothing is known where computing was measured.
SweptCurve swept_curve(const PredictedStudy& study, const PredictedCurve& curve,
                       const Sweep& sweep);

}  // namespace dlscale::forecast
