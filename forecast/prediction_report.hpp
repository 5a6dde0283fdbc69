// SPDX-License-Identifier: Apache-2.0
// The predictions of a study as tables to print and as files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/writers/report_writer.hpp"
#include "contract/plan/run_dir.hpp"
#include "forecast/predicted_study.hpp"
#include "forecast/swept_step.hpp"

namespace dlscale::forecast {

/// The tables of times, of the GPUs that are well spent, of memory and of each sweep. A sweep
/// without rows is reported on standard error; throws base::UsageError where it is the only one.
analysis::Report prediction_report(const PredictedStudy& study, const std::vector<Sweep>& sweeps);

/// Writes a file for each table of `report` and each format, and the figures as SVG. What was
/// written, and figures that could not be drawn, are reported on standard error. Throws
/// base::UsageError for a folder that cannot be made.
void write_report(const std::filesystem::path& folder, const PredictedStudy& study,
                  const std::vector<Sweep>& sweeps, const analysis::Report& report);

/// Keeps the predictions in the folder of the study's plan, to be scored when its runs are
/// collected. Returns what was kept, as lines of text. Throws base::UsageError where the plan has
/// none of the study's points.
std::string keep_study(const PredictedStudy& study, const std::string& calibration,
                       const contract::PlanDir& folder);

}  // namespace dlscale::forecast
