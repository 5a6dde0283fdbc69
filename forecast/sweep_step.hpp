// SPDX-License-Identifier: Apache-2.0
// Predicts the time of a step for several values of one quantity, such as the link bandwidth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forecast/study_prediction.hpp"

namespace dlscale::forecast {

struct SweptQuantity {
  std::string name;   ///< name of the quantity in `--sweep`
  std::string id;     ///< id of the quantity's column
  std::string title;  ///< title of the quantity's column
  std::string unit;
  int decimals = 0;
};

/// Returns the quantity called peak, memory, link, gpus or batch. Throws base::UsageError for other
/// names.
const SweptQuantity& swept_quantity(const std::string& name);

/// Predicted step for one value of the sweep.
struct SweptStep {
  double value = 0;
  predict::StepTime step;
  predict::Band step_s;
  /// Computation from the roofline; empty if the device has no data sheet.
  std::optional<predict::Seconds> roofline;
  /// Computation from kernel models; empty if the calibration has none that cover the model.
  std::optional<predict::Seconds> kernels;
};

/// Sweep of a curve at its largest planned GPU count.
struct SweptCurve {
  std::vector<SweptStep> steps;    ///< predicted steps of the values for which data exist
  std::vector<std::string> notes;  ///< values without a predicted step, each with the reason
};

/// Returns the value of the quantity that a curve has without a sweep: the hardware of the site
/// with the changes that the user requested, or the planned GPU count or batch. Returns nothing if
/// the value is unknown, for example because the device has no data sheet.
std::optional<double> value_without_sweep(const StudyPrediction& study, const PredictedCurve& curve,
                                          const std::string& quantity);

/// Varies the peak (TFLOP/s), the memory bandwidth of a GPU (GB/s), the link of a node (Gbit/s),
/// the number of GPUs, or the batch per GPU. A strong curve keeps its global batch for all GPU
/// counts. With a changed link, all-reduces are computed from latency and bandwidth instead of
/// measurements. With a changed peak or memory bandwidth, the step is unknown if computing times
/// come from measurements.
SweptCurve swept_curve(const StudyPrediction& study, const PredictedCurve& curve,
                       const Sweep& sweep);

}  // namespace dlscale::forecast
