// SPDX-License-Identifier: Apache-2.0
// The figures of a study's predictions: dashed lines, for nothing of them was measured.
#pragma once

#include "analysis/report/figures/figure.hpp"
#include "forecast/predicted_study.hpp"

namespace dlscale::forecast {

/// Over GPUs, a line for each curve with its band: efficiency against the fewest GPUs of the curve,
/// samples in a second, and the time of an epoch.
analysis::Figure predicted_efficiency(const PredictedStudy& study);
analysis::Figure predicted_throughput(const PredictedStudy& study);
analysis::Figure predicted_epoch_time(const PredictedStudy& study);

/// The step's time over the values of a sweep.
analysis::Figure sweep_figure(const PredictedStudy& study, const Sweep& sweep);

}  // namespace dlscale::forecast
