// SPDX-License-Identifier: Apache-2.0
// Converts the rows of one run to the records that dlscale-train, the bundled trainer, would have
// written.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/mapped/epoch_numbers.hpp"
#include "analysis/import/mapped/mapped_format.hpp"
#include "analysis/import/mapped/measure.hpp"
#include "analysis/import/reading/clock_watch.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "analysis/import/reading/loss_watch.hpp"

namespace dlscale::analysis {

/// Converts rows to records. Rows that state a rank are combined to one step if they have the same
/// step number. If such rows have no step number, the n-th rows of all ranks in an epoch are
/// combined. A row without a rank covers all ranks.
///
/// RowRecords does not estimate missing values:
/// - An epoch without a sample count keeps its time and gets no rate.
/// - A row that states a rate without a known number of samples becomes a window with one sample
///   and a time of 1 / rate, so that all such windows have equal weight. The window has no times of
///   parts and no step count. In this case the other windows of the run also lose their step
///   counts.
/// - The time since the row before, from elapsed_s, and the rate of a row give its number of
///   samples. If the digits of elapsed_s are too coarse for this, the rows count with their rate
///   alone, and a message states this. An epoch with known samples gets its time from its rate.
/// - A training accuracy becomes a number of correct samples of its epoch. If the number of samples
///   is unknown, the training accuracy is a metric of the evaluation of the same epoch.
/// - A row with a step number and without a number of steps counts as one step, unless RowCounts
///   states otherwise. If most step numbers rise by more than 1, a message states this, because
///   the time of a row may be the time of several steps.
///
/// Records count epochs from 0. If RowCounts does not state how the rows count their epochs, the
/// numbers of the rows decide (EpochNumbers).
class RowRecords {
 public:
  /// Stores a reference to the run, which states the number of ranks and the samples of a step.
  explicit RowRecords(const contract::RunSpec& run, const RowCounts& counts = {})
      : run_(run), counts_(counts) {}

  void add(int line, const MeasuredRow& row);
  /// Skips a line for the reason `why`.
  void skip(int line, std::string_view why);
  /// Skips a line for the reason `why`. The line may have been a row whose step number is unknown.
  void skip_row(int line, std::string_view why);
  contract::ResultsFile finish();
  /// Returns the number with which the rows count the first epoch, 0 or 1. The result is empty if
  /// neither the user nor the rows state it. Call finish() first.
  std::optional<int> epochs_from() const { return epochs_from_; }

 private:
  struct RankRow {
    int line = 0;
    MeasuredRow row;
  };
  using Group = std::vector<RankRow>;  ///< rows of one step, one for each rank

  struct Step;

  /// Row with a step number and a time or rate.
  struct NumberedRow {
    MeasuredRow* row = nullptr;
    std::size_t group = 0;      ///< index in `groups_`
    double skipped_step = 0;    ///< step number of a skipped row before this row, or NaN
    bool has_lost_row = false;  ///< true if a line before this row may have been a row
  };

  void read_clocks();
  void number_epochs();
  void name_epochs();
  void watch_times();
  void count_steps();
  void count_numbered(const std::vector<NumberedRow>& numbered);
  void count_rows_of_epochs();
  void check_clocks();
  bool has_coarse_clock(const Group& group) const;
  static void forget_clock(Group& group);
  void add_group(std::size_t index);
  void add_window(const Group& group, int epoch, int line);
  double samples_of(const MeasuredRow& row) const;
  std::int64_t steps_of(const MeasuredRow& row, std::int64_t samples) const;
  std::string how_to_state_samples() const;
  void skip_without_samples(const MeasuredRow& row, int line);
  void add_to_epoch(const contract::EpochRecord& row, int line);
  void add_training_results(const MeasuredRow& row, const Step& step, int epoch, int line);
  void take_accuracy_of_epoch();
  void add_training_accuracies();
  void forget_steps();
  void compare_step_numbers(const MeasuredRow& row, int line);
  void warn_of_uncounted_steps();
  void warn_of_unclear_epochs();
  void warn_of_clocks();
  void add_eval(const MeasuredRow& row, int line);
  void end_epoch();
  void add(int line, contract::ResultRecord record);

  const contract::RunSpec& run_;
  RowCounts counts_;
  contract::ResultsFile file_;
  LossWatch losses_;
  std::vector<Group> groups_;
  /// Index in `groups_` for the key (epoch, step) or, without a step, (epoch, position).
  std::map<std::vector<double>, std::size_t> group_of_;
  std::map<std::vector<double>, int> rows_of_;  ///< number of rows by epoch and rank
  std::map<double, int> rows_in_epoch_;         ///< rows with a time or rate, but no step, by epoch
  contract::EpochRecord epoch_;                 ///< current epoch
  int epoch_line_ = 0;                          ///< line of the current epoch; 0: none
  bool epoch_is_timed_ = false;                 ///< true if a row of the epoch has a time or rate
  double epoch_accuracy_ = std::nan("");        ///< training accuracy of the current epoch
  bool epoch_lacks_samples_ = false;            ///< true if a row of the epoch has no sample count
  bool lacks_steps_ = false;                    ///< true if a window has no step count
  /// Training accuracy of an epoch whose number of samples is unknown.
  struct TrainingAccuracy {
    int epoch = 0, line = 0;
    double value = 0;
  };
  std::vector<TrainingAccuracy> accuracies_;
  int line_of_step_accuracy_ = 0;  ///< first row of a step with a training accuracy; 0: none
  /// True if a training accuracy in a row without an epoch comes before the first row with one.
  bool accuracies_lead_ = false;
  std::string coarse_clock_;  ///< message about a clock that check_clocks() does not use
  double clock_resolution_s_ = std::numeric_limits<double>::infinity();
  /// Step numbers of rows that do not state how many steps they cover.
  struct StepNumbers {
    double last = std::nan("");  ///< step number of the last such row
    double last_epoch = std::nan("");
    std::int64_t single_rises = 0, larger_rises = 0;  ///< number of rises by 1 and by more than 1
    double first_rise = 0;                            ///< the first rise by more than 1
    int line = 0;                                     ///< line of the first rise by more than 1
    /// True if a row with a step number and without a number of steps states neither a rate nor its
    /// samples.
    bool lacks_rate = false;
  } step_numbers_;
  /// Step numbers of skipped rows with a time or a rate. The key is the index of the next group. If
  /// several rows before a group were skipped, the last number is kept.
  std::map<std::size_t, double> skipped_steps_;
  /// Indices of the groups after lines that may have been rows and could not be read.
  std::set<std::size_t> lost_rows_;
  /// Reasons why groups give no records, by index in `groups_`.
  std::map<std::size_t, std::string> without_records_;
  std::set<std::size_t> clocked_;  ///< indices of the groups whose times come from elapsed_s
  ClockWatch step_times_, epoch_times_;
  std::optional<int> epochs_from_;             ///< number of the first epoch in the rows
  std::optional<std::int64_t> unclear_epoch_;  ///< smallest epoch if epochs_from_ is unknown
  int epochs_line_ = 0;                        ///< line of the first row that names an epoch
  std::vector<int> epochs_;                    ///< epochs of the groups, by index in `groups_`
  std::int64_t windows_ = 0;                   ///< number of rows that became windows
  int last_epoch_ = kUnknownEpoch;             ///< epoch of the last row that names an epoch
  std::int64_t next_step_ = 0;
};

}  // namespace dlscale::analysis
