// SPDX-License-Identifier: Apache-2.0
// The tables and the figure of a study's predictions.
#pragma once

#include "analysis/report/figure.hpp"
#include "analysis/report/report.hpp"
#include "cli/predicted_study.hpp"

namespace dlscale::cli {

/// The GPU counts shown of a curve: the study's, then doubled up to `up_to`; those of one node
/// where the link between nodes is not known.
std::vector<int> shown_counts(const PredictedCurve& curve, int up_to);

/// Step, epoch, efficiency with bands, what bounds the step, GPU-hours: a row for each count.
analysis::Table times_table(const PredictedStudy& study, int up_to);

/// How many GPUs are worth it: a row for each curve.
analysis::Table knee_table(const PredictedStudy& study, int up_to);

/// What a GPU's memory holds: a row for each curve.
analysis::Table memory_table(const PredictedStudy& study);

/// A row for each curve and value: the step's time and parts where one quantity is otherwise.
analysis::Table sweep_table(const PredictedStudy& study, const Sweep& sweep);

/// Efficiency over GPUs, dashed, with bands.
analysis::Figure efficiency_figure(const PredictedStudy& study, int up_to);

/// The step's time over the values of a sweep.
analysis::Figure sweep_figure(const PredictedStudy& study, const Sweep& sweep);

}  // namespace dlscale::cli
