// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/row_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace dlscale::analysis {
namespace {

constexpr double kMostRowEpochs = 1e7;
constexpr double kLargestCount = 1e15;
/// Tolerance for the sum of a step's parts relative to the time of the step. Logs print rounded
/// parts.
constexpr double kRounding = 1.001;
constexpr double kFastestRow = 1e9;  ///< maximum samples/s of a rank
/// Largest rounding error of the time since the row before, relative to this time, with which a
/// number of samples may be computed from it.
constexpr double kCoarseClock = 0.05;
constexpr const char* kTrainAccuracy = "train_accuracy";

constexpr const char* kUnknownSteps =
    "the number of steps in the time of this row is unknown, because a line before the row could "
    "not be read";

constexpr double kUntold = std::numeric_limits<double>::quiet_NaN();
constexpr contract::Spread kUntoldSpread{kUntold, kUntold, kUntold, kUntold};

/// Returns the record of an epoch without any row.
contract::EpochRecord empty_epoch() {
  return {.time = kUntold, .train_loss = kUntold, .lr = kUntold};
}

constexpr Measure kTimedParts[] = {
    Measure::load_wait_s, Measure::h2d_s,          Measure::forward_s,
    Measure::backward_s,  Measure::exposed_comm_s, Measure::optimizer_s,
    Measure::bubble_s,    Measure::other_s,        Measure::compute_s};

contract::Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double q) {
    const double at = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
  };
  double sum = 0;
  for (const double value : values) sum += value;
  return {sum / static_cast<double>(values.size()), quantile(0.5), quantile(0.9), values.back()};
}

/// Returns the sum, in seconds, of the times that a row states for the parts of a step. Returns NaN
/// if the row states no such time.
double parts_sum(const MeasuredRow& row) {
  double sum = std::nan("");
  for (const Measure part : kTimedParts) {
    if (row.has(part)) sum = (std::isnan(sum) ? 0 : sum) + row[part];
  }
  return sum;
}

bool tells_speed(const MeasuredRow& row) {
  return row.has(Measure::wall_s) || row.has(Measure::samples_per_s) || !std::isnan(parts_sum(row));
}

/// Returns true if the row states an epoch and no step number. Such a row describes a whole epoch
/// or one unnumbered step of the epoch.
bool is_in_epoch(const MeasuredRow& row) {
  return row.has(Measure::epoch) && !row.has(Measure::step);
}

/// Returns true if the row has only results of an evaluation.
bool is_evaluation(const MeasuredRow& row) {
  const bool is_trained = tells_speed(row) || row.has(Measure::step) || row.has(Measure::loss) ||
                          row.has(Measure::train_accuracy);
  return !is_trained && (row.has(Measure::accuracy) || row.has(Measure::test_loss));
}

/// Returns true if the row describes the end of an epoch, and not the beginning of an epoch or a
/// step of it.
bool ends_epoch(const MeasuredRow& row) {
  return is_in_epoch(row) &&
         (tells_speed(row) || row.has(Measure::loss) || row.has(Measure::train_accuracy) ||
          row.has(Measure::accuracy) || row.has(Measure::test_loss));
}

/// Returns true if the row states a rate and the time for which it was measured, but neither its
/// step nor its samples. Such a row covers many steps, for example those of an epoch whose number
/// is in another line.
bool covers_unknown_steps(const MeasuredRow& row) {
  return row.has(Measure::samples_per_s) && row.has(Measure::wall_s) && !row.has(Measure::step) &&
         !row.has(Measure::samples) && !row.has(Measure::rank_samples);
}

double epoch_of(const MeasuredRow& row) {
  return row.has(Measure::epoch) ? row[Measure::epoch] : -1;
}

/// Returns the number of steps that the first of `rows` covers. `rows` begins with a sequence of
/// rising step numbers. The first row normally covers all steps up to its step number. If the
/// distance to the step number of the second row is smaller than the step number of the first row,
/// the run may have been resumed. The first row of a resumed run covers only one such distance. The
/// last row of an epoch may cover fewer steps than the other rows. To exclude this case, the
/// distance between the second and the third row must be the same. If there is no third row, the
/// distance must be at most half of the step number.
double steps_of_first(std::span<MeasuredRow* const> rows, std::int64_t counts_from) {
  const auto step = [&](std::size_t i) { return (*rows[i])[Measure::step]; };
  const double first = step(0) + (counts_from == 0 ? 1 : 0);
  if (rows.size() < 2) return first;
  const double distance = step(1) - step(0);
  const bool is_even = rows.size() < 3 ? 2 * distance <= first : step(2) - step(1) == distance;
  return distance > 0 && distance < first && is_even ? distance : first;
}

/// Returns the number of steps of a row for which the step number rose by `rise` since the last row
/// that was read, although a line between the two rows could not be read. This line may have been a
/// row, and the time of the row then covers fewer than `rise` steps. `before` and `after` are the
/// numbers of steps of the rows before and after the row, or NaN if they are unknown. Returns NaN
/// if they do not show the number of steps.
double steps_after_lost_row(double rise, double before, double after) {
  if (rise == before || rise == after) return rise;
  return before == after && before < rise ? before : std::nan("");
}

/// Returns an error message for the first impossible value of the row, or an empty text if all
/// values are possible.
std::string impossible(const MeasuredRow& row) {
  for (int i = 0; i < kMeasures; ++i) {
    const auto measure = static_cast<Measure>(i);
    const bool may_be_negative = measure == Measure::loss || measure == Measure::test_loss;
    if (row.has(measure) && row[measure] < 0 && !may_be_negative) {
      return fmt::format("{} is {}, but it must not be negative",
                         measures()[static_cast<std::size_t>(i)].name, row[measure]);
    }
  }
  for (const Measure share : {Measure::train_accuracy, Measure::accuracy, Measure::top5_accuracy}) {
    if (row.has(share) && row[share] > 1) {
      return fmt::format(
          "{} is {}, but it must not exceed 1 (map an accuracy in percent "
          "with *0.01)",
          measures()[static_cast<std::size_t>(share)].name, row[share]);
    }
  }
  for (const Measure count : {Measure::samples, Measure::rank_samples, Measure::steps,
                              Measure::step, Measure::epoch, Measure::rank}) {
    if (!row.has(count)) continue;
    const char* name = measures()[static_cast<std::size_t>(count)].name;
    const double most = count == Measure::epoch ? kMostRowEpochs : kLargestCount;
    if (row[count] > most) return fmt::format("{} is {}, which is too large", name, row[count]);
    if (row[count] != std::floor(row[count])) {
      return fmt::format("{} is {}, but it must be a whole number", name, row[count]);
    }
  }
  const double parts = parts_sum(row);
  if (row.has(Measure::wall_s) && parts > row[Measure::wall_s] * kRounding) {
    return fmt::format(
        "the parts of the step take {:.4g} s, which is more than wall_s of "
        "{:.4g} s",
        parts, row[Measure::wall_s]);
  }
  return "";
}

}  // namespace

void RowRecords::skip(int line, std::string_view why) {
  contract::skip_line(file_, line, why);
}

void RowRecords::skip_row(int line, std::string_view why) {
  lost_rows_.insert(groups_.size());
  skip(line, why);
}

void RowRecords::add(int line, contract::ResultRecord record) {
  losses_.check_record(record, line);
  file_.records.push_back(std::move(record));
  file_.record_lines.push_back(line);
}

void RowRecords::add(int line, const MeasuredRow& row) {
  const std::string problem = impossible(row);
  if (!problem.empty()) {
    const double step = row[Measure::step];  // NaN if it is missing
    const bool is_possible = step >= 0 && step == std::floor(step);
    if (!is_possible) return skip_row(line, problem);
    const bool is_timed = tells_speed(row) || row.has(Measure::elapsed_s);
    if (is_timed) skipped_steps_[groups_.size()] = step;
    return skip(line, problem);
  }
  if (!row.has(Measure::rank)) {
    groups_.push_back({{line, row}});
    return;
  }
  const double epoch = epoch_of(row);
  const double k =
      row.has(Measure::step) ? row[Measure::step] : rows_of_[{epoch, row[Measure::rank]}]++;
  const auto [known, is_new] = group_of_.try_emplace({epoch, k}, groups_.size());
  if (is_new) groups_.emplace_back();
  Group& group = groups_[known->second];
  const bool said = std::any_of(group.begin(), group.end(), [&](const RankRow& other) {
    return other.row[Measure::rank] == row[Measure::rank];
  });
  if (said)
    return skip(line, fmt::format("rank {} already has a row for this step", row[Measure::rank]));
  group.push_back({line, row});
}

contract::ResultsFile RowRecords::finish() {
  read_clocks();
  number_epochs();
  name_epochs();
  count_steps();
  watch_times();
  count_rows_of_epochs();
  check_clocks();
  epoch_ = empty_epoch();
  for (std::size_t i = 0; i < groups_.size(); ++i) add_group(i);
  end_epoch();
  add_training_accuracies();
  if (!coarse_clock_.empty()) file_.skipped.push_back(coarse_clock_);
  if (lacks_steps_) {
    forget_steps();
  } else {
    warn_of_uncounted_steps();
  }
  warn_of_unclear_epochs();
  warn_of_clocks();
  losses_.conclude(file_);
  return std::move(file_);
}

/// Computes the times of rows that state the time since the start of the program. The time of a row
/// begins at the last row of the same rank with a time since the start. The time of an epoch begins
/// at the row of the epoch before. If the time since the start falls, a new process or a new epoch
/// has begun.
void RowRecords::read_clocks() {
  struct Clock {
    double last_s = 0, epoch_s = 0;  // time of the last row, and of the last row of an epoch
    double epoch = std::nan("");
  };
  std::map<double, Clock> clocks;  // by rank, or -1 for rows without a rank
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (auto& [line, row] : groups_[i]) {
      if (!row.has(Measure::elapsed_s)) continue;
      clock_resolution_s_ = std::min(clock_resolution_s_, row.clock_resolution_s);
      Clock& clock = clocks[row.has(Measure::rank) ? row[Measure::rank] : -1];
      const double now_s = row[Measure::elapsed_s];
      if (now_s < clock.last_s) clock = {};
      const double passed_s = now_s - (is_in_epoch(row) ? clock.epoch_s : clock.last_s);
      const bool leaves_out_epochs = is_in_epoch(row) && row[Measure::epoch] > clock.epoch + 1;
      clock.last_s = now_s;
      if (is_in_epoch(row)) clock = {now_s, now_s, row[Measure::epoch]};
      if (row.has(Measure::wall_s)) continue;
      if (passed_s > 0 && !leaves_out_epochs) {
        row[Measure::wall_s] = passed_s;
        clocked_.insert(i);
      } else if (!row.has(Measure::samples_per_s) && !is_evaluation(row)) {
        without_records_[i] = leaves_out_epochs
                                  ? "the time since the row before covers several epochs"
                                  : "elapsed_s is the same as in the row before";
        // The time of the next row contains the time of this row.
        if (!leaves_out_epochs) lost_rows_.insert(i + 1);
      }
    }
  }
}

/// Makes the epochs of all rows count from 0.
void RowRecords::number_epochs() {
  EpochNumbers numbers;
  for (const Group& group : groups_) {
    const auto& [line, row] = group.front();
    if (!row.has(Measure::epoch)) continue;
    if (epochs_line_ == 0) epochs_line_ = line;
    numbers.add(std::llround(row[Measure::epoch]), is_evaluation(row));
  }
  epochs_from_ = counts_.epochs_from ? std::optional(static_cast<int>(*counts_.epochs_from))
                                     : numbers.first_number(run_.epochs);
  if (!epochs_from_) unclear_epoch_ = numbers.smallest_of_several();
  const int from = epochs_from_.value_or(0);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (auto& [line, row] : groups_[i]) row[Measure::epoch] -= from;
    const MeasuredRow& row = groups_[i].front().row;
    // An evaluation before the first epoch belongs to no epoch.
    if (row[Measure::epoch] < 0 && tells_speed(row)) {
      without_records_[i] = fmt::format("the epoch is {}, but the first epoch is {}",
                                        row[Measure::epoch] + from, from);
    }
  }
}

/// Finds the epoch of each group. Rows without an epoch belong to the epoch of the row before them
/// that names one. If that row ends its epoch, the rows belong to the next epoch, whose number the
/// row at the end of the next epoch states.
void RowRecords::name_epochs() {
  epochs_.resize(groups_.size());
  int epoch = 0;
  bool has_ended = true;  // true if the last epoch that a row names has ended
  auto open = epochs_.begin();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto own = epochs_.begin() + static_cast<std::ptrdiff_t>(i);
    const MeasuredRow& row = groups_[i].front().row;
    *own = epoch;
    if (!row.has(Measure::epoch)) continue;
    *own = std::max(static_cast<int>(row[Measure::epoch]), 0);
    const bool ends = ends_epoch(row);
    if (ends && has_ended) std::fill(open, own, *own);
    epoch = ends ? *own + 1 : *own;
    has_ended = ends;
    open = own + 1;
  }
}

/// Looks for times of rows that may be times since the start of the program.
void RowRecords::watch_times() {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto& [line, row] = groups_[i].front();
    if (!row.has(Measure::wall_s) || clocked_.contains(i)) continue;
    double count = 1;
    for (const Measure one : {Measure::rank_samples, Measure::samples, Measure::steps}) {
      if (row[one] > 0) count = row[one];
    }
    (is_in_epoch(row) ? epoch_times_ : step_times_).add(row[Measure::wall_s] / count, line);
  }
}

/// Sets the number of steps of the rows that do not state it, as the user specifies.
void RowRecords::count_steps() {
  std::vector<NumberedRow> numbered;
  double skipped_step = std::nan("");
  bool has_lost_row = false;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    MeasuredRow& row = groups_[i].front().row;
    const auto found = skipped_steps_.find(i);
    if (found != skipped_steps_.end()) skipped_step = found->second;
    has_lost_row = has_lost_row || lost_rows_.contains(i);
    if (!tells_speed(row)) continue;
    const bool is_numbered = counts_.counts_from && row.has(Measure::step);
    if (clocked_.contains(i) && !is_in_epoch(row)) {
      // Time and number of steps of the row begin at the last row that was read.
      const bool counts_all = is_numbered && !row.has(Measure::steps);
      if ((has_lost_row || !std::isnan(skipped_step)) && !counts_all) {
        without_records_[i] = kUnknownSteps;
      }
      skipped_step = std::nan("");
      has_lost_row = false;
    }
    if (counts_.steps > 0 && !row.has(Measure::steps) && !is_in_epoch(row)) {
      row[Measure::steps] = static_cast<double>(counts_.steps);
    }
    if (!is_numbered) continue;
    numbered.push_back({&row, i, skipped_step, has_lost_row});
    skipped_step = std::nan("");
    has_lost_row = false;
  }
  count_numbered(numbered);
}

/// Sets the number of steps of rows with step numbers, from the step numbers of the rows before.
void RowRecords::count_numbered(const std::vector<NumberedRow>& numbered) {
  double before = 0, epoch_before = 0, steps_before = std::nan("");
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    MeasuredRow& row = *numbered[i].row;
    const double step = row[Measure::step];
    const double epoch = epoch_of(row);
    const bool begins_epoch = i > 0 && epoch != epoch_before;
    bool follows_row = i > 0;
    // A row of another rank can have the step number of a row that was read. Such a row is not
    // between the rows before and after it.
    const double skipped = numbered[i].skipped_step;
    if (skipped < step && (!follows_row || before >= step || skipped > before)) {
      before = skipped;
      follows_row = true;
    }
    double steps = step - before;
    if (!follows_row || steps <= 0) {
      std::vector<MeasuredRow*> rest;
      for (std::size_t k = i; k < numbered.size() && k < i + 3; ++k) {
        rest.push_back(numbered[k].row);
      }
      if (begins_epoch) rest.resize(1);
      steps = steps_of_first(rest, *counts_.counts_from);
    } else if (numbered[i].has_lost_row) {
      const double after =
          i + 1 < numbered.size() ? (*numbered[i + 1].row)[Measure::step] - step : std::nan("");
      steps = steps_after_lost_row(steps, steps_before, after);
      const bool is_unknown = std::isnan(steps) && !row.has(Measure::steps);
      if (is_unknown) without_records_[numbered[i].group] = kUnknownSteps;
    }
    before = step;
    epoch_before = epoch;
    steps_before = steps;
    if (steps > 0 && !row.has(Measure::steps)) row[Measure::steps] = steps;
  }
}

void RowRecords::count_rows_of_epochs() {
  for (const Group& group : groups_) {
    const MeasuredRow& first = group.front().row;
    if (is_in_epoch(first) && tells_speed(first)) ++rows_in_epoch_[first[Measure::epoch]];
  }
}

/// Returns whether a number of samples that is computed from the rates and the clock of the rows
/// would be too inaccurate.
bool RowRecords::has_coarse_clock(const Group& group) const {
  return std::any_of(group.begin(), group.end(), [&](const RankRow& one) {
    // The row has no wall_s if its clock shows no time since the row before.
    return !one.row.has(Measure::wall_s) ||
           clock_resolution_s_ > kCoarseClock * one.row[Measure::wall_s];
  });
}

/// Removes the times that come from elapsed_s.
void RowRecords::forget_clock(Group& group) {
  for (RankRow& one : group) one.row[Measure::wall_s] = std::nan("");
}

/// Finds the rows whose number of samples would be computed from their rate and their clock. An
/// epoch with a known number of samples uses its rate and this number instead, because the clock
/// also counts the time of evaluations. If the clock is too coarse for one of the other rows, all
/// of them use their rate alone, so that they have equal weights.
void RowRecords::check_clocks() {
  std::vector<Group*> computed;
  const Group* coarse = nullptr;
  bool lacks_samples = false;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    Group& group = groups_[i];
    const MeasuredRow& first = group.front().row;
    const bool states_time = first.has(Measure::wall_s) && !clocked_.contains(i);
    const bool states_samples = first.has(Measure::samples) || first.has(Measure::rank_samples);
    if (!first.has(Measure::elapsed_s) || !(first[Measure::samples_per_s] > 0)) continue;
    if (states_time || states_samples) continue;
    if (is_in_epoch(first) && samples_of(first) > 0) {
      forget_clock(group);
      continue;
    }
    computed.push_back(&group);
    if (coarse == nullptr && has_coarse_clock(group)) coarse = &group;
    lacks_samples = lacks_samples || !first.has(Measure::steps) || run_.global_batch <= 0;
  }
  if (coarse == nullptr) return;
  if (lacks_samples) {
    const MeasuredRow& row = coarse->front().row;
    coarse_clock_ = fmt::format(
        "line {}: {}. The number of samples cannot be computed from samples_per_s and this time. "
        "All rows with samples_per_s and elapsed_s therefore count with their rate alone, with "
        "equal weights and without a time of their own. To give each row its weight, {}",
        coarse->front().line,
        row.has(Measure::wall_s)
            ? fmt::format("elapsed_s has a resolution of {:.3g} s, but the time since the row "
                          "before is {:.3g} s",
                          clock_resolution_s_, row[Measure::wall_s])
            : "elapsed_s does not show the time since the row before",
        how_to_state_samples());
  }
  for (Group* group : computed) forget_clock(*group);
}

/// Adds the records of a group.
void RowRecords::add_group(std::size_t index) {
  const Group& group = groups_[index];
  const MeasuredRow& first = group.front().row;
  const int line = group.front().line;
  if (first.has(Measure::epoch)) last_epoch_ = static_cast<int>(first[Measure::epoch]);
  if (first.has(Measure::epoch) && first[Measure::epoch] != epoch_.epoch) end_epoch();
  const bool is_of_ranks = first.has(Measure::rank);
  const auto reported = run_.point.find("gpus");
  if (is_of_ranks && reported != run_.point.end() && static_cast<int>(group.size()) != run_.gpus) {
    return skip(
        line, fmt::format("only {} of {} ranks have a row for this step", group.size(), run_.gpus));
  }
  const auto without = without_records_.find(index);
  if (without != without_records_.end()) {
    skip(line, without->second);
  } else {
    add_window(group, epochs_[index], line);
  }
  add_eval(first, line);
}

/// Combined values of one step from all its ranks.
struct RowRecords::Step {
  std::array<std::vector<double>, contract::kStepParts> parts;  ///< seconds by part and rank
  double wall_s = 0;                                            ///< time of the slowest rank
  double samples = 0;                                           ///< samples of all ranks
  double rate = 0;                                              ///< samples/s of all ranks
  double loss = 0;                                              ///< mean loss
  double accuracy = 0;                                          ///< mean training accuracy
  bool warmup = false;
  bool is_rate_alone = false;

  explicit Step(const Group& group) {
    double rank_samples = 0;
    for (const auto& [ignored, row] : group) {
      add_times(row);
      if (row.has(Measure::rank_samples)) rank_samples += row[Measure::rank_samples];
      if (row.has(Measure::samples)) samples = std::max(samples, row[Measure::samples]);
      if (row.has(Measure::samples_per_s)) rate = std::max(rate, row[Measure::samples_per_s]);
      loss += row[Measure::loss] / static_cast<double>(group.size());
      accuracy += row[Measure::train_accuracy] / static_cast<double>(group.size());
      warmup = warmup || row[Measure::warmup] > 0;
    }
    if (samples <= 0) samples = rank_samples;
    if (samples <= 0 && wall_s > 0 && rate > 0) samples = std::round(rate * wall_s);
  }

  /// Derives the number of samples and the time of the step if the rows do not state these values.
  /// `known` is the number of samples that the run states for a step, or 0 if this number is
  /// unknown.
  void complete(double known) {
    if (samples <= 0) samples = known;
    if (wall_s > 0 || rate <= 0) return;
    is_rate_alone = samples <= 0;
    if (is_rate_alone) samples = 1;
    wall_s = samples / rate;
    for (double& other : parts.back()) other = wall_s;
  }

 private:
  void add_times(const MeasuredRow& row) {
    const double sum = parts_sum(row);
    const double known = std::isnan(sum) ? 0 : sum;
    const double wall = row.has(Measure::wall_s) ? row[Measure::wall_s] : known;
    wall_s = std::max(wall_s, wall);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double value = row[kTimedParts[i]];
      parts[i].push_back(std::isnan(value) ? 0 : value);
    }
    // Two times are added to the part "other": the time that no part of the row explains, and
    // compute_s, which includes communication.
    const double computed = row.has(Measure::compute_s) ? row[Measure::compute_s] : 0;
    parts.back().back() += std::max(0.0, wall - known) + computed;
  }
};

/// For a row without a sample count, derives the number of samples from the run. Returns 0 if this
/// number is unknown.
double RowRecords::samples_of(const MeasuredRow& row) const {
  const auto batch = static_cast<double>(run_.global_batch);
  const double steps = row.has(Measure::steps) ? row[Measure::steps] : 0;
  if (steps > 0) return batch * steps;
  if (!is_in_epoch(row)) return batch;
  const auto rows = rows_in_epoch_.find(row[Measure::epoch]);
  const bool is_whole = rows != rows_in_epoch_.end() && rows->second == 1;
  return is_whole ? static_cast<double>(run_.dataset.train_samples) : 0;
}

/// Returns the number of optimizer steps of a row with `samples` samples. Returns 0 if the number
/// of steps is unknown.
std::int64_t RowRecords::steps_of(const MeasuredRow& row, std::int64_t samples) const {
  const double reported = row.has(Measure::steps) ? row[Measure::steps] : 0;
  if (reported > 0) return std::llround(std::min(reported, 1e9));
  if (!is_in_epoch(row) && !covers_unknown_steps(row)) return 1;
  if (run_.global_batch <= 0) return 0;
  return std::max<std::int64_t>(1, (samples + run_.global_batch / 2) / run_.global_batch);
}

/// Returns how the user can state the number of samples of an epoch, as the end of a sentence.
std::string RowRecords::how_to_state_samples() const {
  if (run_.trainer.command.empty()) {
    return "map samples or steps, or state the size of the training set with --set train_samples=N";
  }
  return "map samples or steps, or add train_samples = N, the size of the training set, to "
         "[trainer.read] or to the format file. Run ids then stay the same, in contrast to "
         "training.dataset.train_samples = N";
}

void RowRecords::skip_without_samples(const MeasuredRow& row, int line) {
  if (!is_in_epoch(row))
    return skip(line,
                "the row has a time, but the number of samples for "
                "this time is unknown");
  const int rows = rows_in_epoch_[row[Measure::epoch]];
  const double epoch = row[Measure::epoch] + epochs_from_.value_or(0);  // as in the log
  if (rows == 1) {
    return skip(line, fmt::format("the number of samples in epoch {} is unknown: no rate ({})",
                                  epoch, how_to_state_samples()));
  }
  const char* const unused =
      counts_.steps > 0 ? "; the key steps does not apply to rows with epoch and without step" : "";
  skip(line, fmt::format("epoch {} has {} rows with an unknown number of samples: no rate (map "
                         "step, samples or steps{})",
                         epoch, rows, unused));
}

/// Adds the window of a group in an epoch.
void RowRecords::add_window(const Group& group, int epoch, int line) {
  const MeasuredRow& first = group.front().row;
  Step step(group);
  losses_.take_training(step.loss, line);
  add_training_results(first, step, epoch, line);
  if (step.wall_s <= 0 && step.rate <= 0) return;  // the row has, for example, only accuracies
  step.complete(samples_of(first));
  if (step.samples > kFastestRow * std::max(run_.gpus, 1) * step.wall_s) {
    return skip(line, fmt::format("{:.3g} samples/s is impossible: check the unit of the time",
                                  step.samples / step.wall_s));
  }
  contract::EpochRecord row{.time = std::nan("")};
  row.epoch = epoch;
  row.wall_s = step.is_rate_alone ? std::nan("") : step.wall_s;
  row.samples = step.is_rate_alone ? 0 : std::llround(step.samples);
  row.steps =
      row.samples > 0 ? std::min<std::int64_t>(steps_of(first, row.samples), 1'000'000'000) : 0;
  row.lr = first[Measure::lr];
  row.train_loss = step.loss;
  if (is_in_epoch(first)) add_to_epoch(row, line);
  if (step.samples <= 0) return skip_without_samples(first, line);
  lacks_steps_ = lacks_steps_ || row.steps == 0;
  contract::StepWindow window{.epoch = row.epoch, .first_step = next_step_};
  window.time = std::nan("");
  window.steps = static_cast<int>(row.steps);
  window.warmup = step.warmup || windows_ < counts_.warmup_rows;
  ++windows_;
  window.samples = std::llround(step.samples);
  window.wall_s = step.wall_s;
  window.lr = row.lr;
  window.train_loss = row.train_loss;
  for (std::size_t i = 0; i < step.parts.size(); ++i) {
    window.parts[i] = step.is_rate_alone ? kUntoldSpread : spread_of(step.parts[i]);
  }
  next_step_ += window.steps;
  compare_step_numbers(first, line);
  add(line, window);
}

void RowRecords::compare_step_numbers(const MeasuredRow& row, int line) {
  if (!row.has(Measure::step) || row.has(Measure::steps)) return;
  StepNumbers& numbers = step_numbers_;
  const double epoch = epoch_of(row);
  const double rise = epoch == numbers.last_epoch ? row[Measure::step] - numbers.last : 0;
  numbers.last = row[Measure::step];
  numbers.last_epoch = epoch;
  numbers.lacks_rate =
      numbers.lacks_rate || !(row.has(Measure::samples_per_s) || row.has(Measure::samples) ||
                              row.has(Measure::rank_samples));
  if (rise == 1) ++numbers.single_rises;
  if (rise <= 1) return;
  if (++numbers.larger_rises > 1) return;
  numbers.first_rise = rise;
  numbers.line = line;
}

/// Warns if most step numbers rise by more than 1 from row to row. A few larger rises come from
/// rows that were skipped.
void RowRecords::warn_of_uncounted_steps() {
  const StepNumbers& numbers = step_numbers_;
  if (numbers.larger_rises <= numbers.single_rises) return;
  const char* const effect =
      numbers.lacks_rate
          ? "The throughput is right only if each row states the time of one step. If each row "
            "states the time of all steps since the row before, "
          : "The throughput is right, because the rows state their rate or their samples. The "
            "number of steps, and values that are computed from it, are wrong. To correct them, ";
  file_.skipped.push_back(fmt::format(
      "line {}: the step number is {} higher than in the row before, but each row counts as one "
      "step. {}add counts_from = 1 to [trainer.read] or to the file that describes the log "
      "(counts_from = 0 if the first step has number 0)",
      numbers.line, numbers.first_rise, effect));
}

void RowRecords::warn_of_unclear_epochs() {
  if (!unclear_epoch_) return;
  file_.skipped.push_back(fmt::format(
      "line {}: the smallest epoch in the log is {}, so the log does not show whether the program "
      "counts epochs from 0 or from 1. The epochs are taken to count from 0. Add epochs_from = 0 "
      "or epochs_from = 1 to [trainer.read] or to the file that describes the log",
      epochs_line_, *unclear_epoch_));
}

void RowRecords::warn_of_clocks() {
  for (const ClockWatch* times : {&step_times_, &epoch_times_}) {
    const std::string warning = times->warning("wall_s");
    if (warning.empty()) continue;
    file_.skipped.push_back(fmt::format("line {}: {}", times->line(), warning));
  }
}

void RowRecords::add_to_epoch(const contract::EpochRecord& row, int line) {
  epoch_.epoch = row.epoch;
  epoch_.time = row.time;
  epoch_.wall_s += row.wall_s;
  epoch_.steps += row.steps;
  epoch_.samples += row.samples;
  epoch_.lr = row.lr;
  epoch_is_timed_ = true;
  epoch_line_ = line;
  epoch_lacks_samples_ = epoch_lacks_samples_ || row.samples == 0;
}

void RowRecords::end_epoch() {
  if (epoch_lacks_samples_) epoch_.samples = epoch_.steps = 0;  // discard incomplete sums
  if (!epoch_is_timed_) {
    epoch_.wall_s = std::nan("");
    epoch_.samples = run_.dataset.train_samples;
  }
  take_accuracy_of_epoch();
  if (epoch_line_ > 0) {
    file_.records.emplace_back(epoch_);  // add_window() checked the losses of the rows
    file_.record_lines.push_back(epoch_line_);
  }
  epoch_ = empty_epoch();
  epoch_line_ = 0;
  epoch_lacks_samples_ = epoch_is_timed_ = false;
}

/// Adds the loss and the training accuracy of a row to its epoch. The results of a row in an epoch
/// are those of the whole epoch, and a later row of the epoch replaces them. A training accuracy in
/// a row without an epoch belongs to the last epoch that a row named. If the first such row comes
/// before all rows with an epoch, such rows belong to the epoch that the next row names. `epoch` is
/// this epoch.
void RowRecords::add_training_results(const MeasuredRow& row, const Step& step, int epoch,
                                      int line) {
  const bool has_accuracy = !std::isnan(step.accuracy);
  if (row.has(Measure::step)) {
    if (has_accuracy && line_of_step_accuracy_ == 0) line_of_step_accuracy_ = line;
    return;
  }
  if (!has_accuracy && !(is_in_epoch(row) && row.has(Measure::loss))) return;
  if (epochs_line_ == 0) return skip(line, "the epoch of train_accuracy is unknown");
  accuracies_lead_ = accuracies_lead_ || last_epoch_ == kUnknownEpoch;
  if (!accuracies_lead_) epoch = last_epoch_;
  if (epoch_line_ > 0 && epoch_.epoch != epoch) end_epoch();
  epoch_.epoch = epoch;
  epoch_line_ = line;
  if (row.has(Measure::loss)) epoch_.train_loss = step.loss;
  if (row.has(Measure::lr)) epoch_.lr = row[Measure::lr];
  if (has_accuracy) epoch_accuracy_ = step.accuracy;
}

/// Moves the training accuracy to the record of the current epoch, or to accuracies_ if the number
/// of samples of the epoch is unknown.
void RowRecords::take_accuracy_of_epoch() {
  const double accuracy = std::exchange(epoch_accuracy_, std::nan(""));
  if (std::isnan(accuracy)) return;
  if (epoch_.samples > 0) {
    epoch_.correct = std::llround(accuracy * static_cast<double>(epoch_.samples));
  } else {
    accuracies_.push_back({epoch_.epoch, epoch_line_, accuracy});
  }
}

/// Adds the training accuracies of epochs with an unknown number of samples to the evaluations of
/// these epochs.
void RowRecords::add_training_accuracies() {
  for (const TrainingAccuracy& one : accuracies_) {
    bool is_added = false;
    for (contract::ResultRecord& record : file_.records) {
      auto* const eval = std::get_if<contract::EvalRecord>(&record);
      if (eval == nullptr || eval->epoch != one.epoch) continue;
      eval->metrics[kTrainAccuracy] = one.value;
      is_added = true;
    }
    if (is_added) continue;
    skip(one.line, fmt::format("train_accuracy is not recorded, because the number of samples in "
                               "epoch {} is unknown ({})",
                               one.epoch + epochs_from_.value_or(0), how_to_state_samples()));
  }
  if (line_of_step_accuracy_ == 0) return;
  file_.skipped.push_back(
      fmt::format("line {}: train_accuracy of single steps is not recorded, because it may be the "
                  "accuracy of one batch. Only rows without step state the accuracy of an epoch",
                  line_of_step_accuracy_));
}

/// Clears the step counts of all windows. This is necessary if some windows have no step count,
/// because the other windows alone do not give the mean time of a step.
void RowRecords::forget_steps() {
  for (contract::ResultRecord& record : file_.records) {
    if (auto* window = std::get_if<contract::StepWindow>(&record)) {
      window->steps = 0;
      window->first_step = 0;
    }
  }
}

void RowRecords::add_eval(const MeasuredRow& row, int line) {
  if (!row.has(Measure::accuracy) && !row.has(Measure::test_loss)) return;
  contract::EvalRecord eval{.time = std::nan(""), .wall_s = std::nan("")};
  eval.epoch = last_epoch_;  // the last epoch that a row named
  eval.accuracy = row[Measure::accuracy];
  eval.loss = row[Measure::test_loss];
  if (row.has(Measure::top5_accuracy)) eval.metrics["top5_accuracy"] = row[Measure::top5_accuracy];
  add(line, std::move(eval));
}

}  // namespace dlscale::analysis
