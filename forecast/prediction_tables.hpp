// SPDX-License-Identifier: Apache-2.0
// Creates the tables of predictions, and describes the data from which times and memory are
// predicted.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "forecast/study_prediction.hpp"

namespace dlscale::forecast {

// The following functions describe the data behind predicted times and memory, and warn of
// extrapolation.

/// Returns sentences on the effects that the model omits, on the bands that are wider for this
/// reason, and on how to make the bands narrower. The list is empty if every predicted GPU count
/// was measured.
std::vector<std::string> missing_terms_notes(const StudyPrediction& study);

/// Returns sentences on the basis of a prediction: one each on computing times, all-reduces and
/// bands, then sentences on missing data, then the notes of the study.
std::vector<std::string> prediction_basis(const StudyPrediction& study);

/// Returns sentences that explain when a run fits into memory and which measured memory of models
/// is used.
std::vector<std::string> grounds_of_memory(const StudyPrediction& study);

/// Returns the data that a memory prediction uses, as text: "card", "card, 4 runs", "card, 4 runs
/// of 2 other models".
std::string basis_of_memory(const predict::HeldMemory& held);

/// Largest factor by which a predicted GPU count may exceed the largest measured GPU count without
/// a warning.
inline constexpr int kFarthestMeasured = 8;

/// Returns warnings for points of a curve that are far from measured batches and GPU counts.
std::vector<std::string> notes_of_distance(const StudyPrediction& study,
                                           const PredictedCurve& curve);

// The following functions create the tables of predictions.

/// Returns a row for each GPU count: times of a step and an epoch and the efficiency, each with its
/// band, the resource that limits the step, and GPU-hours.
analysis::Table times_table(const StudyPrediction& study);

/// Returns a row for each curve: the largest GPU count that is worth its cost, with bounds.
analysis::Table knee_table(const StudyPrediction& study);

/// Returns a row for each planned GPU count with its batch: the memory that a GPU needs.
analysis::Table memory_table(const StudyPrediction& study);

/// Returns a row for each curve and value of a sweep: the time of a step and its parts. The notes
/// of the table list the values for which data are missing.
analysis::Table sweep_table(const StudyPrediction& study, const Sweep& sweep);

}  // namespace dlscale::forecast
