// SPDX-License-Identifier: Apache-2.0
// The calibration that predictions go by, and predictions as a plan folder keeps them, to be scored
// when the runs are collected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/records/run_prediction.hpp"
#include "forecast/predicted_study.hpp"
#include "planner/study/study.hpp"
#include "predict/training_model.hpp"

namespace dlscale::forecast {

// The calibration that predictions go by: of a file, or the one that a study names.

struct NamedCalibration {
  std::shared_ptr<const predict::Measurements> measured;  ///< null: there is none
  std::string digest;                                     ///< SHA-256 of its text
};

/// Of a file as `dlscale calibrate` writes it. Throws base::UsageError where it cannot be read,
/// base::SpecError where it is none.
NamedCalibration read_calibration(const std::string& file);

/// The one that the study's [resources] names. Rows of throughput say nothing of steps: none.
/// Throws as read_calibration().
NamedCalibration calibration_of(const planner::Study& study);

// Predictions as a plan folder keeps them, to be scored when the runs are collected.

/// One for each planned point of each curve. `calibration`: SHA-256 of what they rest on; empty:
/// none.
std::vector<contract::RunPrediction> run_predictions(const PredictedStudy& study,
                                                     const std::string& calibration, double now);

struct KeptPredictions {
  int written = 0;
  int known = 0;    ///< that say what the folder's last ones of the same points say
  int foreign = 0;  ///< of points that the folder's plan does not have
};

/// Appends to the folder's predictions.jsonl those of its plan's points that say something new.
/// Throws base::UsageError where there is no plan, base::RunError where the file cannot be written.
KeptPredictions keep_predictions(const std::vector<contract::RunPrediction>& predictions,
                                 const contract::PlanDir& folder);

/// "12 predictions kept in demo/predictions.jsonl, 4 known already" as a line.
std::string to_text(const KeptPredictions& kept, const contract::PlanDir& folder);

/// Keeps what the calibration of a study's [resources] says of its plan, where that is one of
/// measured steps, and says so in a line; empty where it is none, or says nothing of the study.
std::string keep_planned(const planner::Planning& planning, const contract::PlanDir& folder,
                         double now);

}  // namespace dlscale::forecast
