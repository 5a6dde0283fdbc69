// SPDX-License-Identifier: Apache-2.0
// Prints predictions as tables and writes them to files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/writers/report_writer.hpp"
#include "contract/plan/run_dir.hpp"
#include "forecast/study_prediction.hpp"
#include "forecast/sweep_step.hpp"

namespace dlscale::forecast {

/// Returns the tables of times, of useful GPU counts, of memory and of each sweep. If a sweep has
/// no rows, reports the sweep on standard error. Throws base::UsageError if the only sweep has no
/// rows.
analysis::Report prediction_report(const StudyPrediction& study, const std::vector<Sweep>& sweeps);

/// Writes each table of `report` in each format, and the figures as SVG. Reports the written files
/// and the figures that failed on standard error. Throws base::UsageError for a folder that cannot
/// be created.
void write_report(const std::filesystem::path& folder, const StudyPrediction& study,
                  const std::vector<Sweep>& sweeps, const analysis::Report& report);

/// Saves the predictions in the folder of the study's plan, for comparison with results. Returns
/// lines for the user that describe what was saved. Throws base::UsageError if the plan has none of
/// the study's points.
std::string keep_study(const StudyPrediction& study, const std::string& calibration,
                       const contract::PlanDir& folder);

}  // namespace dlscale::forecast
