// SPDX-License-Identifier: Apache-2.0
// Predicts a study: groups its runs into curves and predicts times and memory, with the data used.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report.hpp"
#include "contract/records/model_card.hpp"
#include "forecast/hardware_override.hpp"
#include "planner/jobs/plan_jobs.hpp"
#include "predict/memory.hpp"
#include "predict/scaling_curve.hpp"
#include "predict/training_model.hpp"

namespace dlscale::forecast {

/// Folders with data for predictions.
struct PredictionFiles {
  std::filesystem::path cards;  ///< model cards
  std::filesystem::path devices;
};

/// Runs that differ only in their GPUs, with derived values.
struct PredictedCurve {
  /// Values of all axes except GPUs and batches, and the `partition` if the site has several.
  std::map<std::string, std::string> axes;
  contract::RunSpec first;                          ///< run with the fewest GPUs
  std::vector<int> planned;                         ///< GPU counts in the study
  std::vector<std::pair<int, std::string>> points;  ///< GPU count and point id of all points
  contract::ModelCard card;
  predict::Hardware hardware;            ///< a device memory of 0 means unknown
  std::int64_t samples = 0;              ///< samples of an epoch; 0: unknown
  bool strong = false;                   ///< all runs have the same global batch
  std::map<int, predict::Share> shares;  ///< deviation of a rank's steps, for all planned counts
  predict::HeldMemory held;              ///< measured memory in addition to the card
  /// Predictions at the planned counts, then at doubled ones, without counts for which no
  /// all-reduce time is known.
  std::vector<predict::CurvePoint> over_gpus;
};

struct StudyPrediction {
  std::string study;
  std::string site;
  std::vector<std::string> axes;  ///< axes that distinguish curves, in the order of the study
  std::vector<PredictedCurve> curves;
  std::vector<std::string> notes;  ///< what is not predicted, with reasons, and assumptions
  std::shared_ptr<const predict::Measurements> measured;  ///< null: no calibration
};

/// Predicts a planned study. A partition without a named GPU has the device of the measured steps.
/// A partition with another device than the measured one is not predicted, with a note. Without
/// `measured`, data sheets are used. Counts beyond the planned ones end at `up_to`. Throws
/// base::UsageError, with a remedy, if nothing can be predicted or if `what` cannot be applied to
/// measured steps.
StudyPrediction predict_study(const planner::Planning& planning, const PredictionFiles& files,
                              const HardwareOverride& what,
                              std::shared_ptr<const predict::Measurements> measured, int up_to);

/// Returns whether the points of one curve differ on this axis of a study.
bool varies_on_curve(const std::string& axis);

/// Returns the time model of a curve. `study` and `curve` must outlive it.
predict::TrainingModel model_of(const StudyPrediction& study, const PredictedCurve& curve);

/// Returns the measured steps of its model in its precision.
std::vector<contract::ComputeTime> measured_steps(const StudyPrediction& study,
                                                  const PredictedCurve& curve);

/// Returns whether its memory is that of CPU processes instead of a GPU allocator. The measured
/// memory then includes the context.
bool is_of_process(const PredictedCurve& curve);

/// Returns the memory of a rank for a number of GPUs and passes per step, including measured
/// memory.
predict::MemorySetting memory_setting_at(const PredictedCurve& curve, int gpus, int passes);

// Labels that distinguish the curves of a prediction.

/// Returns those of these axes that distinguish curves in addition to earlier axes; at least one.
std::vector<std::string> telling_axes(const std::vector<std::string>& names,
                                      const std::vector<PredictedCurve>& curves);

/// Returns an empty table with a column for each axis of the study.
analysis::Table curves_table(const StudyPrediction& study, const std::string& id,
                             const std::string& title);

/// Returns the values of a curve as the first cells of a row; empty cells for axes that its runs do
/// not have.
std::vector<analysis::Cell> beginning(const StudyPrediction& study, const PredictedCurve& curve);

/// Returns the values as one text.
std::string label_of(const StudyPrediction& study, const PredictedCurve& curve);

}  // namespace dlscale::forecast
