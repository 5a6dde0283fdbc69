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

// A calibration from a file, or from the [resources] of a study.

struct NamedCalibration {
  std::shared_ptr<const predict::Measurements> measured;  ///< null: no calibration
  std::string digest;                                     ///< SHA-256 of its text
};

/// Reads a file from `dlscale calibrate`. Throws base::UsageError if it cannot be read, and
/// base::SpecError if it is invalid.
NamedCalibration read_calibration(const std::string& file);

/// Returns the calibration in [resources] of the study. Throughput rows have no steps, so they give
/// none. Throws what read_calibration() throws.
NamedCalibration calibration_of(const planner::Study& study);

// Saved predictions of a plan folder.

/// Returns a prediction for each planned point of each curve. `calibration` is the SHA-256 of the
/// calibration; empty: none.
std::vector<contract::RunPrediction> run_predictions(const StudyPrediction& study,
                                                     const std::string& calibration, double now);

struct KeptPredictions {
  int written = 0;
  int known = 0;    ///< equal to the last saved predictions of the same points
  int foreign = 0;  ///< for points that are not in the plan of the folder
};

/// Appends new or changed predictions for points of the plan to predictions.jsonl. Throws
/// base::UsageError if there is no plan, and base::RunError if the file cannot be written.
KeptPredictions keep_predictions(const std::vector<contract::RunPrediction>& predictions,
                                 const contract::PlanDir& folder);

/// Returns a line such as "12 predictions kept in demo/predictions.jsonl, 4 known already".
std::string to_text(const KeptPredictions& kept, const contract::PlanDir& folder);

/// Saves predictions from the calibration of a study, if it has measured steps, and returns a line
/// about them; empty if there is none or it has no data for the study.
std::string keep_planned(const planner::Planning& planning, const contract::PlanDir& folder,
                         double now);

}  // namespace dlscale::forecast
