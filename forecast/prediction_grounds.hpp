// SPDX-License-Identifier: Apache-2.0
// What predicted times and memory rest on, and where they go far beyond it, in words.
#pragma once

#include <string>
#include <vector>

#include "forecast/predicted_study.hpp"

namespace dlscale::forecast {

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

}  // namespace dlscale::forecast
