// SPDX-License-Identifier: Apache-2.0
// The tables of a study's predictions, and what predicted times and memory rest on, in words.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "forecast/predicted_study.hpp"

namespace dlscale::forecast {

// What predicted times and memory rest on, and where they go far beyond it, in words.

/// What the model leaves out, how wide that makes bands, and what would help. Empty where every
/// predicted count was measured.
std::vector<std::string> missing_terms_notes(const PredictedStudy& study);

/// Computing, all-reduces, bands: a sentence each; then what is missing, and the study's own notes.
std::vector<std::string> grounds(const PredictedStudy& study);

/// When a run is said to fit, and what models held beyond their cards: a sentence each.
std::vector<std::string> grounds_of_memory(const PredictedStudy& study);

/// "card", "card, 4 runs", "card, 4 runs of 2 other models".
std::string basis_of_memory(const predict::HeldMemory& held);

/// Predictions on more GPUs than so many times the most measured are said to be far beyond them.
inline constexpr int kFarthestMeasured = 8;

/// Of a curve's points those far from what was measured: batches, and numbers of GPUs.
std::vector<std::string> notes_of_distance(const PredictedStudy& study,
                                           const PredictedCurve& curve);

// The tables of a study's predictions.

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
