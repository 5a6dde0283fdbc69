// SPDX-License-Identifier: Apache-2.0
// Predicts a study. Groups the runs of the study into curves, and predicts times and memory for
// each curve.
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

/// Folders with the data on which predictions are based.
struct PredictionFiles {
  std::filesystem::path cards;  ///< folder of model cards
  std::filesystem::path devices;
};

/// Curve of a prediction: runs that differ only in their number of GPUs, and values derived from
/// the runs.
struct PredictedCurve {
  /// Values of the axes that are the same for all points of the curve, and the `partition` if the
  /// site has several.
  std::map<std::string, std::string> axes;
  contract::RunSpec first;                          ///< run with the fewest GPUs
  std::vector<int> planned;                         ///< GPU counts in the study
  std::vector<std::pair<int, std::string>> points;  ///< GPU count and point id of all points
  contract::ModelCard card;
  /// Hardware of the runs. A device memory of 0 means unknown.
  predict::Hardware hardware;
  std::int64_t samples = 0;              ///< number of samples in an epoch; 0 = unknown
  bool strong = false;                   ///< true if all runs have the same global batch
  std::map<int, predict::Share> shares;  ///< work of a rank in a step, by planned GPU count
  predict::HeldMemory held;              ///< measured memory that the card does not include
  /// Predictions at the planned GPU counts, followed by doubled counts. Counts without a known
  /// all-reduce time are left out.
  std::vector<predict::CurvePoint> over_gpus;
};

struct StudyPrediction {
  std::string study;
  std::string site;
  std::vector<std::string> axes;  ///< axes that distinguish curves, in the order of the study
  std::vector<PredictedCurve> curves;
  std::vector<std::string> notes;  ///< reasons why predictions are missing, and assumptions
  /// measurements of the calibration; null if there is none
  std::shared_ptr<const predict::Measurements> measured;
};

/// Predicts a planned study:
/// - Without `measured`, predictions use data sheets.
/// - If a partition does not name its GPU, its device is the device of the measured steps.
/// - If a partition names another device than the measured device, the runs on that partition are
///   not predicted, and a note states this.
/// - The largest GPU count above the planned counts is at most `up_to`.
/// Throws base::UsageError, whose text contains a remedy, if nothing can be predicted or if the
/// override `what` cannot be applied to measured steps.
StudyPrediction predict_study(const planner::Planning& planning, const PredictionFiles& files,
                              const HardwareOverride& what,
                              std::shared_ptr<const predict::Measurements> measured, int up_to);

/// Returns whether one process uses all GPUs of a run, which must then be on one node.
bool is_one_process(const contract::RunSpec& run);

/// Returns whether points of the same curve can have different values of this axis.
bool varies_on_curve(const std::string& axis);

/// Returns the model that predicts the times of a curve. `study` and `curve` must outlive the
/// result.
predict::TrainingModel model_of(const StudyPrediction& study, const PredictedCurve& curve);

/// Returns the measured steps of the curve's model in the curve's precision.
std::vector<contract::ComputeTime> measured_steps(const StudyPrediction& study,
                                                  const PredictedCurve& curve);

/// Returns whether the memory of a rank is the resident memory of a CPU process, and not the memory
/// of a GPU allocator. The measured memory of a process includes the context.
bool is_of_process(const PredictedCurve& curve);

/// Returns the settings that determine how much memory a rank needs with `gpus` GPUs and `passes`
/// passes per step. The settings include the measured memory.
predict::MemorySetting memory_setting_at(const PredictedCurve& curve, int gpus, int passes);

// The following functions create labels that distinguish the curves of a prediction.

/// Returns the axes in `names` that distinguish curves which earlier axes do not distinguish.
/// Returns at least one axis.
std::vector<std::string> telling_axes(const std::vector<std::string>& names,
                                      const std::vector<PredictedCurve>& curves);

/// Returns a table without rows that has a column for each axis of the study.
analysis::Table curves_table(const StudyPrediction& study, const std::string& id,
                             const std::string& title);

/// Returns the axis values of a curve as the first cells of a row. The cell of an axis that the
/// runs lack is empty.
std::vector<analysis::Cell> beginning(const StudyPrediction& study, const PredictedCurve& curve);

/// Returns the axis values of a curve as one text.
std::string label_of(const StudyPrediction& study, const PredictedCurve& curve);

}  // namespace dlscale::forecast
