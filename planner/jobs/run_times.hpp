// SPDX-License-Identifier: Apache-2.0
// Run times that follow from what was measured: throughput of a site, or steps and all-reduces.
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
#include "planner/site/site.hpp"
#include "planner/site/wishes.hpp"
#include "predict/training_model.hpp"
#include "predict/walltime.hpp"

namespace dlscale::planner {

// Run times that follow from measured steps and all-reduces: what `dlscale calibrate` wrote.
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

// Measured throughput of a site, and the run times that follow from it.

/// Rows `[[throughput]]` with gpus, samples_per_s and, for runs of a kind, further keys of axes.
class Calibration {
 public:
  /// Throws base::SpecError with place, key and the nearest name.
  Calibration(std::string_view text, const std::string& file);
  /// From the rows that say nothing else than the run; of those the ones that say most. Throws
  /// base::SpecError for a row that narrows by a key which is no axis of the run.
  std::optional<predict::ThroughputEstimate> throughput(const contract::RunSpec& run) const;

 private:
  struct Row {
    predict::Throughput measured;
    std::map<std::string, std::pair<std::string, base::Location>> conditions;
    /// For the same GPU count and the same runs.
    bool says_same(const Row& other) const;
  };
  std::vector<Row> rows_;
};

/// The file that resources.calibration names: a relative path is looked for beside the study file
/// that names it. Only where it is not empty.
std::filesystem::path calibration_file(const ResourceWishes& wishes);

/// Whether a calibration's text is what `dlscale calibrate` wrote, rather than rows in TOML.
bool is_measured(std::string_view text);

/// Expected run times: epochs x samples / throughput or epochs x steps x the step's time, where the
/// study names a calibration; else those of finished runs.
class RunTimes {
 public:
  RunTimes(StepTimes steps, FinishedRuns finished)
      : steps_(std::move(steps)), finished_(std::move(finished)) {}

  /// Seconds with their band; 0 where nothing is known. Reads each calibration file once. `site`:
  /// where the run is to be. Throws base::SpecError.
  predict::Band of(const contract::RunSpec& run, const ResourceWishes& wishes, const Site& site);
  /// What the study's calibration measured; null where it names none, or rows of throughput.
  /// Throws base::SpecError.
  const predict::Measurements* measured(const ResourceWishes& wishes);
  /// So that what was asked up to now is not in the notes.
  void forget_counts();
  /// What a reader of the predictions should know, one line each.
  std::vector<std::string> notes() const;

 private:
  /// A file of rows, or what `dlscale calibrate` wrote.
  using Named = std::variant<Calibration, predict::Measurements>;

  predict::Band by_calibration(const contract::RunSpec& run, const ResourceWishes& wishes,
                               const Site& site);
  predict::Band by_rows(const contract::RunSpec& run, const Calibration& rows, const Site& site);
  const Named& calibration(const ResourceWishes& wishes);

  StepTimes steps_;
  FinishedRuns finished_;
  std::map<std::string, Named> files_;
  int extrapolated_ = 0, unmatched_ = 0, unknown_size_ = 0, as_finished_ = 0;
  int beyond_ = 0;  ///< outside the counts that rows or finished runs were measured on
};

}  // namespace dlscale::planner
