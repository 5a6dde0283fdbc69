// SPDX-License-Identifier: Apache-2.0
// Private to analysis/report/figures/: what was predicted, dashed beside what was measured.
#pragma once

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

/// What a figure over GPU counts shows of predictions.
enum class PredictedCurve { speedup, efficiency, throughput, throughput_per_gpu, epoch_time };

/// Adds to the figure for each of its curves the kept predictions of its points, measured or not:
/// "…, predicted". Speed-up and efficiency are those of predicted throughputs against the curve's
/// baseline; a curve of which that was not predicted has none. Nothing where the folder keeps no
/// predictions, and a note instead where there were too many lines to tell apart.
void add_predicted(Figure& figure, const Frame& frame, const AnalysisOptions& options,
                   PredictedCurve shown);

}  // namespace dlscale::analysis
