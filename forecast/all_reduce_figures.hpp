// SPDX-License-Identifier: Apache-2.0
// Draws measured all-reduces next to the ring formula that is fitted to them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "contract/records/calibration.hpp"

namespace dlscale::forecast {

/// Range of message sizes in bytes that the figures show: 500 KiB to 1 GiB, as in figure 3 of
/// Barrachina et al.
inline constexpr double kLeastShownBytes = 500.0 * 1024;
inline constexpr double kMostShownBytes = 1024.0 * 1024 * 1024;

/// Returns two figures over the message size, each with the name of its file: the measured and the
/// modelled time of an all-reduce, and the relative error modelled / measured - 1. The model is
/// eq. (1) of Barrachina et al. with one latency and one bandwidth for each placement, fitted to
/// the shown sizes by least squares of relative errors. Placements with fewer than three shown
/// sizes are left out. Returns no figures if no placement remains.
std::vector<std::pair<std::string, analysis::Figure>> all_reduce_figures(
    const contract::Calibration& calibration);

}  // namespace dlscale::forecast
