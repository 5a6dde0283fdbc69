// SPDX-License-Identifier: Apache-2.0
// Reads the calibration for predictions, and saves predictions in a plan folder for comparison with
// results.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/records/run_prediction.hpp"
#include "forecast/study_prediction.hpp"
#include "planner/study/study.hpp"
#include "predict/training_model.hpp"

namespace dlscale::forecast {

// Calibration from a file, or from the [resources] of a study.

struct NamedCalibration {
  std::shared_ptr<const predict::Measurements> measured;  ///< measurements; null = no calibration
  /// SHA-256 of the text of the calibration.
  std::string digest;
};

/// Reads a file from `dlscale calibrate`. Throws base::UsageError if it cannot be read, and
/// base::SpecError if it is invalid.
NamedCalibration read_calibration(const std::string& file);

/// Returns the calibration in [resources] of the study. The result is empty for a calibration that
/// only lists throughputs, because it has no measured steps. Throws what read_calibration() throws.
NamedCalibration calibration_of(const planner::Study& study);

// The following functions save predictions in a plan folder.

/// Returns a prediction for each planned point of each curve. `calibration` is the SHA-256 of the
/// calibration, or empty if there is none. `now` is the time of the prediction.
std::vector<contract::RunPrediction> run_predictions(const StudyPrediction& study,
                                                     const std::string& calibration, double now);

struct KeptPredictions {
  int written = 0;
  int known = 0;    ///< number of predictions equal to the last saved prediction of their point
  int foreign = 0;  ///< number of predictions for points that the plan does not contain
};

/// Appends predictions for points of the plan to predictions.jsonl, unless they equal the last
/// saved prediction of their point. Throws base::UsageError if there is no plan, and base::RunError
/// if the file cannot be written.
KeptPredictions keep_predictions(const std::vector<contract::RunPrediction>& predictions,
                                 const contract::PlanDir& folder);

/// Returns a line such as "12 predictions saved in demo/predictions.jsonl, 4 saved before".
std::string to_text(const KeptPredictions& kept, const contract::PlanDir& folder);

/// Saves predictions for a plan. The predictions use the calibration of the study. Returns a line
/// about the saved predictions. Returns an empty text if the study has no calibration with measured
/// steps, or if the calibration has no data for the study.
std::string keep_planned(const planner::Planning& planning, const contract::PlanDir& folder,
                         double now);

}  // namespace dlscale::forecast
