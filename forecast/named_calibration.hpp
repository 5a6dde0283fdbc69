// SPDX-License-Identifier: Apache-2.0
// The calibration that predictions go by: of a file, or the one that a study names.
#pragma once

#include <memory>
#include <string>

#include "planner/study/study.hpp"
#include "predict/training_model.hpp"

namespace dlscale::forecast {

struct NamedCalibration {
  std::shared_ptr<const predict::Measurements> measured;  ///< null: there is none
  std::string digest;                                     ///< SHA-256 of its text
};

/// Of a file as `dlscale calibrate` writes it. Throws base::UsageError where it cannot be read,
/// base::SpecError where it is none.
NamedCalibration read_calibration(const std::string& file);

/// The one that the study's [resources] names. Rows of throughput say nothing of steps: none.
/// Throws as read_calibration().
NamedCalibration calibration_of(const planner::Study& study);

}  // namespace dlscale::forecast
