// SPDX-License-Identifier: Apache-2.0
// Converts a calibration to tables for people.
#pragma once

#include "analysis/report/report.hpp"
#include "contract/records/calibration.hpp"

namespace dlscale::forecast {

/// Returns tables of the latency (α), bandwidth (1/β) and summation rate (1/γ) by placement and
/// size range, of the times of forward and backward passes by batch, and of communication and
/// loading. Empty tables are omitted.
analysis::Report calibration_report(const contract::Calibration& calibration);

}  // namespace dlscale::forecast
