// SPDX-License-Identifier: Apache-2.0
// Rows of measures, of one run, as the records dlscale-train would have written.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/measure.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "analysis/import/reading/loss_watch.hpp"

namespace dlscale::analysis {

/// Rows with a rank are put together: those of one step where the rows say their step, else the
/// k-th row of each rank. Without a rank a row is all that is known of its steps.
///
/// What rows do not tell is not made up. Of an epoch without samples there is its time and no rate.
/// A rate without samples or a batch becomes a window of one sample (so that all count alike, and
/// samples over time are the rate), with neither parts nor steps; nor have other windows steps
/// then.
class RowRecords {
 public:
  /// `run` says the ranks that each step needs, and how many samples it took.
  explicit RowRecords(const contract::RunSpec& run) : run_(run) {}

  void add(int line, const MeasuredRow& row);
  /// Skips a line.
  void skip(int line, std::string_view why);
  contract::ResultsFile finish();

 private:
  struct RankRow {
    int line = 0;
    MeasuredRow row;
  };
  using Group = std::vector<RankRow>;  ///< one row for each rank

  struct Step;

  void count_rows_of_epochs();
  void take(const Group& group);
  void add_window(const Group& group, int line);
  double samples_of(const MeasuredRow& row) const;
  std::int64_t steps_of(const MeasuredRow& row, std::int64_t samples) const;
  void skip_without_samples(const MeasuredRow& row, int line);
  void add_to_epoch(const contract::EpochRecord& row, int line);
  void forget_steps();
  void add_eval(const MeasuredRow& row, int line);
  void end_epoch();
  void add(int line, contract::ResultRecord record);

  const contract::RunSpec& run_;
  contract::ResultsFile file_;
  LossWatch losses_;
  std::vector<Group> groups_;
  std::map<std::vector<double>, std::size_t> group_of_;  ///< by epoch and step, or epoch and k
  std::map<std::vector<double>, int> rows_of_;           ///< by epoch and rank
  std::map<double, int> rows_in_epoch_;                  ///< with a time or rate, without a step
  contract::EpochRecord epoch_;                          ///< the one under way
  int epoch_line_ = 0;                                   ///< 0: there is none
  bool epoch_lacks_samples_ = false;                     ///< some of its rows do not tell theirs
  bool lacks_steps_ = false;                             ///< some windows do not tell theirs
  int last_epoch_ = kUnknownEpoch;                       ///< of the last row that names one
  std::int64_t next_step_ = 0;
};

}  // namespace dlscale::analysis
