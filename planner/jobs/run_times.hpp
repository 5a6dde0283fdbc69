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
#include "contract/plan/plan.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/data_folders.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/site/job_settings.hpp"
#include "planner/site/site.hpp"
#include "predict/training_model.hpp"
#include "predict/walltime.hpp"

namespace dlscale::planner {

// Run times from the measured steps and all-reduces that `dlscale calibrate` writes.
class StepTimes {
 public:
  /// Stores the folders of cost models and devices.
  StepTimes(std::optional<std::filesystem::path> cards,
            std::optional<std::filesystem::path> devices)
      : cards_(std::move(cards)), devices_(std::move(devices)) {}

  /// Returns the time of all epochs in seconds, without evaluation. A time limit must not depend on
  /// a roofline estimate alone. The function therefore returns 0 and adds the reason to notes() in
  /// these cases:
  /// - The calibration belongs to another device than the device of the partition.
  /// - The calibration has no step of the model in the precision of the run.
  /// - The calibration has no all-reduces that predict the time for this number of ranks.
  ///
  /// Only `device` is read from the resources of `run`. A null `partition` means a single machine.
  /// `site` is the name of the site.
  predict::Band run_s(const contract::RunSpec& run, const Partition* partition,
                      const predict::Measurements& measured, const std::string& site = "");

  void forget() {
    notes_.clear();
    beyond_ = 0;
  }
  /// Returns the number of runs with more GPUs than any measured run. For these runs no measurement
  /// contains the costs that the model leaves out, such as stragglers.
  int beyond_measured() const { return beyond_; }
  /// Returns the reasons why the times of runs are unknown, one line for each reason.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  predict::Band unknown(std::string why);

  CardFolder cards_;
  DeviceFolder devices_;
  std::vector<std::string> notes_;
  int beyond_ = 0;
};

// The following declarations compute run times from the measured throughput of a site.

/// Calibration in TOML. Each row `[[throughput]]` states `samples_per_s` for a number of `gpus`.
/// Further keys of a row restrict the row to runs with these axis values.
class Calibration {
 public:
  /// Reads the rows from `text`. `file` is the name for error messages. `axes` are the axes of the
  /// study and of all its sub-studies. Throws base::SpecError for an invalid text and for a key
  /// that is not an axis. The error states the place, the key and the most similar valid name.
  Calibration(std::string_view text, const std::string& file,
              const std::vector<contract::Axis>& axes);
  /// Returns the throughput of a run. Uses the rows whose conditions all match the run, and among
  /// these rows, only those with the most conditions. A condition on an axis that the run does not
  /// have does not match.
  std::optional<predict::ThroughputEstimate> throughput(const contract::RunSpec& run) const;

 private:
  struct Row {
    predict::Throughput measured;
    std::map<std::string, std::string> conditions;
    /// Returns true for a row with the same GPU count and the same conditions.
    bool says_same(const Row& other) const;
  };
  std::vector<Row> rows_;
};

/// Returns the time of all training steps of a run in seconds, at a throughput that was measured or
/// estimated for the run's number of GPUs. Returns 0 if the number of samples of the run is
/// unknown. `site` is the site on which the run will start.
predict::Band run_s_at(const predict::ThroughputEstimate& throughput, const contract::RunSpec& run,
                       const Site& site);

/// Returns the note that `points` points lie outside the measured GPU counts.
std::string extrapolation_note(int points);

/// Returns the file that resources.calibration names. A relative path is relative to the folder of
/// the study file that names the calibration. Requires that resources.calibration is not empty.
std::filesystem::path calibration_file(const ResourceSettings& requested);

/// Returns whether `text` is a calibration that `dlscale calibrate` wrote (JSON). Returns false for
/// throughput rows in TOML.
bool is_measured(std::string_view text);

/// Expected run times. If the study names a calibration, the time is epochs x samples / throughput,
/// or epochs x steps x step time. Otherwise the time is derived from finished runs.
class RunTimes {
 public:
  /// `axes` are the axes of the study and of all its sub-studies.
  RunTimes(StepTimes steps, FinishedRuns finished, std::vector<contract::Axis> axes)
      : steps_(std::move(steps)), finished_(std::move(finished)), axes_(std::move(axes)) {}

  /// Returns the run time in seconds with its band, or 0 if the time is unknown. `site` is the site
  /// on which the run will start. Reads each calibration file once. Throws base::SpecError for a
  /// wrong calibration.
  predict::Band of(const contract::RunSpec& run, const ResourceSettings& requested,
                   const Site& site);
  /// Returns the measurements in the study's calibration. Returns null if the study names no
  /// calibration, or a calibration with throughput rows. Throws base::SpecError for a wrong
  /// calibration.
  const predict::Measurements* measured(const ResourceSettings& requested);
  /// Resets the counts of notes(), so that notes() covers only runs that are passed to of()
  /// later.
  void forget_counts();
  /// Returns notes about the accuracy of the run times, one line for each note.
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
  std::vector<contract::Axis> axes_;
  std::map<std::string, Named> files_;
  int extrapolated_ = 0, unmatched_ = 0, unknown_size_ = 0, as_finished_ = 0;
  int beyond_ = 0;  ///< number of runs outside the measured GPU counts
};

}  // namespace dlscale::planner
