// SPDX-License-Identifier: Apache-2.0
// Shows a calibration as tables.
#pragma once

#include "analysis/report/report.hpp"
#include "contract/records/calibration.hpp"

namespace dlscale::forecast {

/// Returns tables of α, 1/β and γ by placement and size range, of passes of models by batch, and of
/// communication and loading. Empty tables are omitted.
analysis::Report calibration_report(const contract::Calibration& calibration);

}  // namespace dlscale::forecast
