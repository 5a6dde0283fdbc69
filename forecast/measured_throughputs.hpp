// SPDX-License-Identifier: Apache-2.0
// Writes measured throughputs as calibration rows, from which the planner computes run times.
#pragma once

#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::forecast {

/// Returns a calibration in TOML with a row [[throughput]] for each measured configuration and GPU
/// count: the median throughput of its repetitions in samples/s. The conditions of a row are its
/// batch and its values on `axes`, the axes of the study that uses the calibration. Leaves out
/// - rows whose batch or whose value on one of the axes is unknown
/// - rows whose value on an axis with a dot in its name is not the only value of this axis, because
///   such an axis cannot be a condition
/// - rows that these conditions cannot distinguish
///
/// Returns an empty text if no row remains.
std::string throughput_rows(const analysis::Frame& frame, const std::vector<contract::Axis>& axes);

}  // namespace dlscale::forecast
