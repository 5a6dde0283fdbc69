// SPDX-License-Identifier: Apache-2.0
// Creates the tables of predictions, and describes the data that predicted times and memory use.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "forecast/study_prediction.hpp"

namespace dlscale::forecast {

// Data behind predicted times and memory, and warnings about extrapolation.

/// Describes the effects that the model omits, the resulting width of bands, and how to narrow it.
/// Empty if every predicted count was measured.
std::vector<std::string> missing_terms_notes(const StudyPrediction& study);

/// Returns a sentence each on computing, all-reduces and bands, then missing data and the notes of
/// the study.
std::vector<std::string> prediction_basis(const StudyPrediction& study);

/// Returns sentences on when a run fits, and on measured memory of models.
std::vector<std::string> grounds_of_memory(const StudyPrediction& study);

/// Returns the source of a memory prediction: "card", "card, 4 runs", "card, 4 runs of 2 other
/// models".
std::string basis_of_memory(const predict::HeldMemory& held);

/// Factor above the largest measured GPU count from which predictions get a warning.
inline constexpr int kFarthestMeasured = 8;

/// Returns warnings for points of a curve that are far from measured batches and GPU counts.
std::vector<std::string> notes_of_distance(const StudyPrediction& study,
                                           const PredictedCurve& curve);

// Tables of predictions.

/// Returns a row per GPU count: step, epoch and efficiency with bands, the limit of the step, and
/// GPU-hours.
analysis::Table times_table(const StudyPrediction& study);

/// Returns a row per curve: the largest useful GPU count, with bands.
analysis::Table knee_table(const StudyPrediction& study);

/// Returns a row per planned count with its batch: the memory of a GPU.
analysis::Table memory_table(const StudyPrediction& study);

/// Returns a row per curve and value of a sweep: the time of a step and its parts. Notes after the
/// caption list values without data.
analysis::Table sweep_table(const StudyPrediction& study, const Sweep& sweep);

}  // namespace dlscale::forecast
