// SPDX-License-Identifier: Apache-2.0
// Measured throughput of a site, and the run times that follow from it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/toml/fields.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/jobs/step_times.hpp"
#include "planner/site/site.hpp"
#include "planner/site/wishes.hpp"
#include "predict/walltime.hpp"

namespace dlscale::planner {

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
