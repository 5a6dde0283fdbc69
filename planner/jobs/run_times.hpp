// SPDX-License-Identifier: Apache-2.0
// Computes run times from measured throughput of a site, or from measured steps and all-reduces.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/toml/fields.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/data_folders.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/site/job_settings.hpp"
#include "planner/site/site.hpp"
#include "predict/training_model.hpp"
#include "predict/walltime.hpp"

namespace dlscale::planner {

// Run times from measured steps and all-reduces, as written by `dlscale calibrate`.
class StepTimes {
 public:
  /// Takes the folders of model cards and devices.
  StepTimes(std::optional<std::filesystem::path> cards,
            std::optional<std::filesystem::path> devices)
      : cards_(std::move(cards)), devices_(std::move(devices)) {}

  /// Returns the time of all epochs in seconds, without evaluation.
  /// Returns 0 and adds the reason to notes() in these cases, because a time limit must not rest on
  /// a roofline estimate alone:
  /// - The calibration belongs to another device than the device of the partition.
  /// - The calibration has no step of the model in the precision of the run.
  /// - The calibration has no all-reduces from which the time of this number of ranks follows.
  ///
  /// Only the device of the run's resources is used. A null `partition` means a single machine.
  /// `site` is the name of the site.
  predict::Band run_s(const contract::RunSpec& run, const Partition* partition,
                      const predict::Measurements& measured, const std::string& site = "");

  void forget() {
    notes_.clear();
    beyond_ = 0;
  }
  /// Returns the number of runs with more GPUs than the measured runs that include the effects
  /// missing from the model.
  int beyond_measured() const { return beyond_; }
  /// Returns the reasons why runs have no time, a line for each reason.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  predict::Band unknown(std::string why);

  CardFolder cards_;
  DeviceFolder devices_;
  std::vector<std::string> notes_;
  int beyond_ = 0;
};

// The following declarations compute run times from the measured throughput of a site.

/// Rows `[[throughput]]` with gpus and samples_per_s. Further keys restrict a row to runs with
/// these axis values.
class Calibration {
 public:
  /// Reads the rows. Throws base::SpecError with place, key and the nearest name.
  Calibration(std::string_view text, const std::string& file);
  /// Returns the throughput from the rows whose conditions all match the run. Among these rows,
  /// uses the rows with the most conditions. Throws base::SpecError for a condition on a key that
  /// is not an axis of the run.
  std::optional<predict::ThroughputEstimate> throughput(const contract::RunSpec& run) const;

 private:
  struct Row {
    predict::Throughput measured;
    std::map<std::string, std::pair<std::string, base::Location>> conditions;
    /// Returns true for a row with the same GPU count and the same conditions.
    bool says_same(const Row& other) const;
  };
  std::vector<Row> rows_;
};

/// Returns the file that resources.calibration names. A relative path is relative to the folder of
/// the study file that names the calibration. Requires that resources.calibration is not empty.
std::filesystem::path calibration_file(const ResourceSettings& requested);

/// Returns true when the text of a calibration was written by `dlscale calibrate`, and false for
/// rows in TOML.
bool is_measured(std::string_view text);

/// Expected run times. With a calibration in the study, the time is epochs x samples / throughput
/// or epochs x steps x step time. Otherwise the time follows from finished runs.
class RunTimes {
 public:
  RunTimes(StepTimes steps, FinishedRuns finished)
      : steps_(std::move(steps)), finished_(std::move(finished)) {}

  /// Returns the run time in seconds with its band, or 0 when the time is unknown. Reads each
  /// calibration file once. `site` is the site on which the run will start. Throws base::SpecError.
  predict::Band of(const contract::RunSpec& run, const ResourceSettings& requested,
                   const Site& site);
  /// Returns the measurements in the study's calibration, or null when the study names no
  /// calibration or a calibration with throughput rows. Throws base::SpecError.
  const predict::Measurements* measured(const ResourceSettings& requested);
  /// Resets the counts, so that notes() leaves out all earlier calls of of().
  void forget_counts();
  /// Returns notes for readers of the predictions, a line for each note.
  std::vector<std::string> notes() const;

 private:
  /// Calibration file with throughput rows, or with the measurements of `dlscale calibrate`.
  using Named = std::variant<Calibration, predict::Measurements>;

  predict::Band by_calibration(const contract::RunSpec& run, const ResourceSettings& requested,
                               const Site& site);
  predict::Band by_rows(const contract::RunSpec& run, const Calibration& rows, const Site& site);
  const Named& calibration(const ResourceSettings& requested);

  StepTimes steps_;
  FinishedRuns finished_;
  std::map<std::string, Named> files_;
  int extrapolated_ = 0, unmatched_ = 0, unknown_size_ = 0, as_finished_ = 0;
  int beyond_ = 0;  ///< number of runs outside the GPU counts of rows or finished runs
};

}  // namespace dlscale::planner
