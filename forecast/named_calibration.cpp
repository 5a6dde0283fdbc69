// SPDX-License-Identifier: Apache-2.0
#include "forecast/named_calibration.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"
#include "planner/jobs/run_times.hpp"

namespace dlscale::forecast {
namespace {

std::string calibration_text(const std::string& file) {
  try {
    return base::read_text_file(file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

NamedCalibration made_ready(const std::string& text, const std::string& file) {
  return {
      std::make_shared<const predict::Measurements>(contract::calibration_from_json(text, file)),
      contract::sha256_hex(text)};
}

}  // namespace

NamedCalibration read_calibration(const std::string& file) {
  return made_ready(calibration_text(file), file);
}

NamedCalibration calibration_of(const planner::Study& study) {
  const planner::ResourceWishes& wishes = study.matrices.front().resources;
  if (wishes.calibration.empty()) return {};
  const std::string file = planner::calibration_file(wishes).string();
  const std::string text = calibration_text(file);
  return planner::is_measured(text) ? made_ready(text, file) : NamedCalibration{};
}

}  // namespace dlscale::forecast
