// SPDX-License-Identifier: Apache-2.0
// Adds predicted values as dashed lines to figures of measured values. Private to
// analysis/report/figures/.
#pragma once

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

/// Predicted quantity that a figure over GPU counts shows.
enum class PredictedCurve { speedup, efficiency, throughput, throughput_per_gpu, epoch_time };

/// Adds the saved predictions of the points of each curve to the figure, whether the points were
/// measured or not. The label is "…, predicted". Speed-up and efficiency are computed from
/// predicted throughputs and the prediction of the curve's baseline. A curve without a predicted
/// baseline gets no line. Adds nothing if the folder has no saved predictions. Adds only a note if
/// the figure would have too many lines.
void add_predicted(Figure& figure, const Frame& frame, const AnalysisOptions& options,
                   PredictedCurve shown);

}  // namespace dlscale::analysis
