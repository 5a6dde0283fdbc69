// SPDX-License-Identifier: Apache-2.0
// Adds saved predictions to figures of measured values, as additional dashed lines. Private to
// analysis/report/figures/.
#pragma once

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

/// Quantity that a figure over GPU counts shows and that can be predicted.
enum class PredictedCurve { speedup, efficiency, throughput, throughput_per_gpu, epoch_time };

/// Adds a line with the saved predictions of each curve to the figure. A line includes the points
/// of the curve that were not measured, and its label ends in ", predicted". Speed-up and
/// efficiency are predicted throughputs relative to the predicted throughput of the curve's
/// baseline. In figures of speed-up and efficiency, a curve whose baseline was not predicted
/// therefore gets no line. Adds nothing if there are no saved predictions. If the figure would have
/// too many lines, adds only a note.
void add_predicted(Figure& figure, const Frame& frame, const AnalysisOptions& options,
                   PredictedCurve shown);

}  // namespace dlscale::analysis
