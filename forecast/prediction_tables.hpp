// SPDX-License-Identifier: Apache-2.0
// The tables of a study's predictions.
#pragma once

#include "analysis/report/report.hpp"
#include "forecast/predicted_study.hpp"

namespace dlscale::forecast {

/// Step, epoch, efficiency with bands, what bounds the step, GPU-hours: a row for each count.
analysis::Table times_table(const PredictedStudy& study);

/// How many GPUs are worth it, with bands: a row for each curve.
analysis::Table knee_table(const PredictedStudy& study);

/// What a GPU's memory holds: a row for each planned count, with its own batch.
analysis::Table memory_table(const PredictedStudy& study);

/// A row for each curve and value: the step's time and parts where one quantity is otherwise.
/// Values of which nothing is known are in its notes, behind the caption's.
analysis::Table sweep_table(const PredictedStudy& study, const Sweep& sweep);

}  // namespace dlscale::forecast
