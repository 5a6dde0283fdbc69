// SPDX-License-Identifier: Apache-2.0
// The predictions of a study: its runs grouped to curves, with times, memory and what they rest on.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report.hpp"
#include "contract/records/model_card.hpp"
#include "forecast/what_if.hpp"
#include "planner/jobs/plan_jobs.hpp"
#include "predict/memory.hpp"
#include "predict/scaling_curve.hpp"
#include "predict/training_model.hpp"

namespace dlscale::forecast {

/// Where the data of predictions lie.
struct PredictionFiles {
  std::filesystem::path cards;  ///< of models
  std::filesystem::path devices;
};

/// Runs that differ in nothing but their GPUs, and what follows from them.
struct PredictedCurve {
  /// Of the study but GPUs and batches, that vary; and the `partition`, where the site has some.
  std::map<std::string, std::string> axes;
  contract::RunSpec first;                          ///< with the fewest GPUs
  std::vector<int> planned;                         ///< the study's GPU counts
  std::vector<std::pair<int, std::string>> points;  ///< GPUs and point id, all of the curve's
  contract::ModelCard card;
  predict::Hardware hardware;            ///< memory 0 of its device: not known
  std::int64_t samples = 0;              ///< of an epoch; 0: not known
  bool strong = false;                   ///< its runs have one global batch
  std::map<int, predict::Share> shares;  ///< what a rank takes of a step, by all planned counts
  predict::HeldMemory held;              ///< beyond its card, as runs held it that were measured
  /// At the planned counts, then doubled ones, without those between whose ranks nothing says how
  /// long an all-reduce takes.
  std::vector<predict::CurvePoint> over_gpus;
};

struct PredictedStudy {
  std::string study;
  std::string site;
  std::vector<std::string> axes;  ///< that tell curves apart, in the order of the study
  std::vector<PredictedCurve> curves;
  std::vector<std::string> notes;  ///< what is not predicted and why; what is assumed
  std::shared_ptr<const predict::Measurements> measured;  ///< null: no calibration
};

/// A partition that does not name its GPU has the device that the calibration's steps were measured
/// on; for one that names another than was measured nothing is predicted, with a note. Without
/// `measured` data sheets count. Counts beyond the planned ones go to `up_to`. Throws
/// base::UsageError where nothing can be predicted, or where `what` is nothing that measured steps
/// say anything of, with the remedy.
PredictedStudy predict_study(const planner::Planning& planning, const PredictionFiles& files,
                             const WhatIf& what,
                             std::shared_ptr<const predict::Measurements> measured, int up_to);

/// Returns whether the points of one curve differ on this axis of a study.
bool varies_on_curve(const std::string& axis);

/// The model of a curve's time; `study` and `curve` must outlive it.
predict::TrainingModel model_of(const PredictedStudy& study, const PredictedCurve& curve);

/// Those of its model in its precision.
std::vector<contract::ComputeTime> measured_steps(const PredictedStudy& study,
                                                  const PredictedCurve& curve);

/// Whether its memory is that of processes, not of a GPU's allocator: what was measured is then the
/// context, too.
bool is_of_process(const PredictedCurve& curve);

/// What a rank of it keeps on so many GPUs where a step is so many passes, as was measured.
predict::MemorySetting memory_setting_at(const PredictedCurve& curve, int gpus, int passes);

// How the curves of a prediction are told apart.

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
