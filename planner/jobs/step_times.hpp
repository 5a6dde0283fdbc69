// SPDX-License-Identifier: Apache-2.0
// Run times that follow from measured steps and all-reduces: what `dlscale calibrate` wrote.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/card_folder.hpp"
#include "planner/jobs/device_folder.hpp"
#include "planner/site/site.hpp"
#include "predict/training_model.hpp"

namespace dlscale::planner {

class StepTimes {
 public:
  /// Folders of model cards and devices.
  StepTimes(std::optional<std::filesystem::path> cards,
            std::optional<std::filesystem::path> devices)
      : cards_(std::move(cards)), devices_(std::move(devices)) {}

  /// Seconds of all epochs, evaluation not counted; 0 where the calibration is of another device
  /// than the partition's, has no step of the model in the run's precision, or nothing that says
  /// how long its ranks' all-reduces take, which notes() then tells: a roofline is no time to ask
  /// for. Of the run's resources only the device is looked at. `partition` null: one machine.
  /// `site` is the name of the site.
  predict::Band run_s(const contract::RunSpec& run, const Partition* partition,
                      const predict::Measurements& measured, const std::string& site = "");

  void forget() {
    notes_.clear();
    beyond_ = 0;
  }
  /// Number of runs on more GPUs than the measured runs that hold what the model leaves out.
  int beyond_measured() const { return beyond_; }
  /// Why there are runs without a time, one line each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  predict::Band unknown(std::string why);

  CardFolder cards_;
  DeviceFolder devices_;
  std::vector<std::string> notes_;
  int beyond_ = 0;
};

}  // namespace dlscale::planner
