// SPDX-License-Identifier: Apache-2.0
// A step where one quantity is otherwise than planned.
#pragma once

#include <string>

#include "cli/predicted_study.hpp"

namespace dlscale::cli {

struct SweptQuantity {
  std::string name;   ///< as `--sweep` has it
  std::string id;     ///< column
  std::string title;  ///< for people
  std::string unit;
  int decimals = 0;
};

/// peak, link, gpus, batch. Throws base::UsageError for another.
const SweptQuantity& swept_quantity(const std::string& name);

/// Of a curve on the most GPUs that are planned: with that peak (TFLOP/s), that link of a node
/// (Gbit/s), on so many GPUs, or with that batch of a GPU. A link that is otherwise goes by its
/// latency and bandwidth, whatever was measured.
predict::StepTime swept_step(const PredictedStudy& study, const PredictedCurve& curve,
                             const std::string& quantity, double value);

}  // namespace dlscale::cli
