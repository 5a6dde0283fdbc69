// SPDX-License-Identifier: Apache-2.0
// How the curves of a prediction are told apart.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "forecast/predicted_study.hpp"

namespace dlscale::forecast {

/// Of axes of these names those that tell curves apart which those before them do not; at least
/// one.
std::vector<std::string> telling_axes(const std::vector<std::string>& names,
                                      const std::vector<PredictedCurve>& curves);

/// A table without rows, with a column for each axis of the study.
analysis::Table curves_table(const PredictedStudy& study, const std::string& id,
                             const std::string& title);

/// A curve's values of them, as the cells that a row begins with; nothing where its runs have no
/// such axis.
std::vector<analysis::Cell> beginning(const PredictedStudy& study, const PredictedCurve& curve);

/// The same as one text.
std::string label_of(const PredictedStudy& study, const PredictedCurve& curve);

}  // namespace dlscale::forecast
