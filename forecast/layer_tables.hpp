// SPDX-License-Identifier: Apache-2.0
// Tables and figures of measured layers next to the estimates of kernel models.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/report.hpp"
#include "contract/records/calibration.hpp"

namespace dlscale::forecast {

/// Returns a table with a row for each stage (forward, backward, update) of each measured step: the
/// measured and the estimated time, the mean relative error and the weighted relative error of its
/// layers, and the share of the measured time that has estimates.
analysis::Table layer_errors_table(const contract::Calibration& calibration);

/// Returns a table with a row for each layer of each measured step: the measured and the estimated
/// time of each stage.
analysis::Table layer_times_table(const contract::Calibration& calibration);

/// Returns a figure for each measured step, with the name of its file: measured and estimated times
/// of the three stages of each layer, as in figure 2 of Barrachina et al.
std::vector<std::pair<std::string, analysis::Figure>> layer_figures(
    const contract::Calibration& calibration);

}  // namespace dlscale::forecast
