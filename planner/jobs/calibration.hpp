// SPDX-License-Identifier: Apache-2.0
// Measured throughput of a site, and the run times that follow from it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_spec.hpp"
#include "planner/site/wishes.hpp"
#include "planner/toml/fields.hpp"
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

/// Expected run times: epochs x samples / throughput, where the study names a calibration.
class RunTimes {
 public:
  /// Seconds; 0 where nothing is known. Reads each calibration file once; a relative path is
  /// looked for beside the study file that names it. Throws base::SpecError.
  double of(const contract::RunSpec& run, const ResourceWishes& wishes);
  /// So that what was asked up to now is not in the notes.
  void forget_counts() { extrapolated_ = unmatched_ = unknown_size_ = 0; }
  /// What a reader of the predictions should know, one line each.
  std::vector<std::string> notes() const;

 private:
  const Calibration& calibration(const ResourceWishes& wishes);

  std::map<std::string, Calibration> files_;
  int extrapolated_ = 0, unmatched_ = 0, unknown_size_ = 0;
};

}  // namespace dlscale::planner
