// SPDX-License-Identifier: Apache-2.0
// Collects the content that a log reader has found, as records with their line numbers.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "analysis/import/reading/log_format.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "analysis/import/reading/loss_watch.hpp"
#include "analysis/import/reading/ranks_of_log.hpp"
#include "analysis/import/reading/rate_check.hpp"

namespace dlscale::analysis {

/// Consecutive optimizer steps of one epoch.
struct TimedSteps {
  std::int64_t epoch = 0;  ///< epoch number, from 0
  std::int64_t steps = 0;
  double samples = 0;  ///< samples of all ranks
  double wall_s = 0;
  double load_s = 0;  ///< part of wall_s spent waiting for data; 0: unknown
  double lr = std::nan("");
  double loss = std::nan("");  ///< infinite if the log reports a loss that is not finite
  bool warmup = false;
  double peak_memory_bytes = 0;            ///< 0: unknown
  std::map<std::string, double> measured;  ///< values of further quantities, by name
  bool tells_steps = true;                 ///< false if the number of steps is unknown
};

/// Position of a line in a run. Lines of one kind appear in ascending order. A line out of order
/// repeats an earlier line and comes from another rank or from an earlier log in the same file.
struct RunPlace {
  std::int64_t epoch = -1, step = -1;
  auto operator<=>(const RunPlace&) const = default;
};

/// Detects the lines at which a program restarted and continued to write to the same log. Programs
/// restart after a requeue or in an elastic training. At such a line the epoch or the step is lower
/// than before, and running means and counters begin again.
class RestartWatch {
 public:
  /// Records the position of the next line. Returns true if this position lies before that of the
  /// previous line.
  bool goes_back(const RunPlace& place) {
    const bool is_back = place < last_;
    last_ = place;
    return is_back;
  }

 private:
  RunPlace last_;  ///< position of the last line, repeated lines included
};

class CollectedLog {
 public:
  CollectedLog(const contract::RunSpec& run, const char* trainer);

  /// Reserves memory for the records of the whole log, which is `times_so_many` times as long as
  /// the part that was read so far. Without the reservation, moving the records to larger memory
  /// blocks would take longer than reading the log.
  void expect(double times_so_many);

  /// Sets the line number of the records that follow.
  void at(int line) { line_ = line; }
  /// Returns the start record of the run. Readers set the values of this record when they find
  /// them.
  contract::RunStart& start() { return start_; }

  /// Adds a step window. Returns false and skips the line if the numbers are impossible.
  bool add_steps(const TimedSteps& steps);
  /// Adds an evaluation after `epoch`. The accuracy is a fraction, or NaN if there is none. The
  /// loss is infinite if the logged loss is not finite, and NaN if there is none.
  void add_eval(std::int64_t epoch, double accuracy, double loss,
                std::map<std::string, double> metrics = {}, double wall_s = std::nan(""));
  void add_epoch(contract::EpochRecord epoch);
  void add(contract::ResultRecord record);
  /// Adds a hash of `content` to LogContent::trail. `content` is text that does not become a
  /// record, but that distinguishes logs of different trainings.
  void note_content(std::string_view content);
  void add(CollectiveResult result);
  void add(AccountedJob job);
  /// Adds a figure that the current line prints about the speed of the run. finish() compares the
  /// figure with the step windows and removes the rate of the run if the two contradict each other.
  void compare(PrintedFigure figure);
  /// Makes finish() remove the rate of the run. A warning then states the current line and `why`.
  void reject_rate(std::string_view why);
  /// Records how the run ended. Only the first call has an effect.
  void stop(contract::RunOutcome outcome, std::string reason = "", double wall_s = std::nan(""));

  /// Skips the content of the current line for the reason `why`. The first skipped lines are
  /// reported one by one, and the others are counted.
  void skip(std::string_view why);
  /// Returns true and skips the line if `place` is not after `last`. Otherwise sets `last` to
  /// `place` and returns false. The first skipped line and the number of such lines are reported at
  /// the end.
  bool repeats(RunPlace& last, const RunPlace& place);
  /// Skips the current line because it repeats earlier content.
  void skip_repeated();
  /// Adds a message about a property that many lines share. The message is reported once, at the
  /// end of the import. `line` is the first of these lines.
  void sum_up(int line, const std::string& what);
  /// Records that the program that wrote the log does not write an end line.
  void lacks_end_line() { content_.has_end_line = false; }
  /// Records that the text ends within a line.
  void cut_off() { content_.file.truncated = true; }

  void fact(const std::string& name, std::string value);
  void fact(const std::string& name, std::int64_t value);
  bool knows(const std::string& name) const { return content_.facts.contains(name); }

  /// Returns the number of samples of an optimizer step over all ranks, from the log or else from
  /// the run. If neither the log nor the run states this number, returns 1, so that the user sees
  /// the other measurements before the user states the batch.
  std::int64_t global_batch() const { return global_batch_; }
  /// Returns true if the log or the run states the global batch.
  bool knows_batch() const { return run_.global_batch > 0 || knows("global_batch"); }
  std::int64_t steps() const { return next_step_; }
  LogContent finish();

 private:
  const contract::RunSpec& run_;
  LogContent content_;
  contract::RunStart start_;
  std::int64_t global_batch_;
  std::int64_t next_step_ = 0;
  std::int64_t repeated_ = 0;  ///< number of repeated lines
  int first_repeated_ = 0;     ///< line number of the first repeated line
  std::vector<std::string> sums_;
  LossWatch losses_;
  RateCheck rates_;
  int line_ = 0;
  bool stopped_ = false;
};

/// Reads a text line by line and calls `visit(line)`. If several processes wrote the log, only the
/// lines of one process are read. RanksOfLog selects this process with the tests in `own`. Lines
/// that are too long for the output of a trainer are skipped with a message. `before` is the number
/// of lines of the log in front of the text.
template <class Visit>
void take_lines(std::string_view text, CollectedLog& log, Visit visit, const OwnLines& own = {},
                int before = 0) {
  constexpr std::size_t kTried = std::size_t{1} << 18;  // size of the sample in bytes
  bool tried = text.size() < 4 * kTried;
  RanksOfLog ranks(own);
  for (LogLines lines(text); lines.next();) {
    if (!tried && lines.left() + kTried < text.size()) {
      tried = true;
      log.expect(static_cast<double>(text.size()) /
                 static_cast<double>(text.size() - lines.left()));
    }
    log.at(before + lines.line().number);
    if (lines.line().text.size() > kLongestLine) {
      log.skip("longer than 1 MiB");
    } else if (ranks.counts(lines.line(), lines.rest())) {
      visit(lines.line());
    }
  }
  if (ranks.first_left_out() > 0) {
    log.sum_up(before + ranks.first_left_out(), ranks.what_is_left_out());
  }
}

/// Reads a log with the reader class of a format. The constructor of the reader receives the run.
/// The reader then receives the lines one by one.
template <class LogReader>
LogContent read_with(std::string_view text, const contract::RunSpec& run, const OwnLines& own) {
  LogReader reader(run);
  take_lines(
      text, reader.log(), [&](const LogLine& line) { reader.read_line(line); }, own);
  return reader.finish();
}

}  // namespace dlscale::analysis
