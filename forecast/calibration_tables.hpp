// SPDX-License-Identifier: Apache-2.0
// A calibration as tables for people.
#pragma once

#include "analysis/report/report.hpp"
#include "contract/records/calibration.hpp"

namespace dlscale::forecast {

/// α, 1/β and γ by placement and range of sizes; passes of models over the batch; exchange and
/// loading. Tables without rows are left out.
analysis::Report calibration_report(const contract::Calibration& calibration);

}  // namespace dlscale::forecast
