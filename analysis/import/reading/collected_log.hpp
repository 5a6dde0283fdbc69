// SPDX-License-Identifier: Apache-2.0
// What a reader of logs has found so far, as records with their lines.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
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
  std::int64_t epoch = 0;  ///< from 0
  std::int64_t steps = 0;
  double samples = 0;  ///< of all ranks
  double wall_s = 0;
  double load_s = 0;  ///< of it, waiting for data; 0 where the log does not tell them apart
  double lr = std::nan("");
  double loss = std::nan("");  ///< infinite: the log tells that it is not finite
  bool warmup = false;
  bool tells_steps = true;  ///< false: their number is made of a batch that nobody says
};

/// Where in a run a line stands. Lines of one kind go forward: what does not was told before, by
/// another rank or by an earlier log in the same file.
struct RunPlace {
  std::int64_t epoch = -1, step = -1;
  auto operator<=>(const RunPlace&) const = default;
};

/// Finds the lines at which a program restarted in the same log, after a requeue or in an elastic
/// training. Epoch and step fall there, and running means and counters restart with the process.
class RestartWatch {
 public:
  /// Takes the place of the next line. Returns true if it lies before that of the last line.
  bool goes_back(const RunPlace& place) {
    const bool is_back = place < last_;
    last_ = place;
    return is_back;
  }

 private:
  RunPlace last_;  ///< place of the last line, repeated lines included
};

class CollectedLog {
 public:
  CollectedLog(const contract::RunSpec& run, const char* trainer);

  /// The whole log is so many times as long as what has been read of it: makes room for what it
  /// will hold, which to move each time there is no more room takes longer than reading.
  void expect(double times_so_many);

  /// Where what follows was found.
  void at(int line) { line_ = line; }
  /// The record of the run's beginning, for what is learnt of it on the way.
  contract::RunStart& start() { return start_; }

  /// False, and the line is named, when the numbers cannot be.
  bool add_steps(const TimedSteps& steps);
  /// An evaluation after `epoch`, its accuracy as a fraction (NaN: it has none), its loss as in
  /// TimedSteps.
  void add_eval(std::int64_t epoch, double accuracy, double loss,
                std::map<std::string, double> metrics = {}, double wall_s = std::nan(""));
  void add_epoch(contract::EpochRecord epoch);
  void add(contract::ResultRecord record);
  /// Adds to the trail of the log (LogContent::trail) what becomes no record.
  void note_content(std::string_view content);
  void add(CollectiveResult result);
  void add(AccountedJob job);
  /// Hands in a figure that the current line prints about the speed of the run. finish() compares
  /// it with the step windows and removes the rate of the run when the two contradict each other.
  void compare(PrintedFigure figure);
  /// Makes finish() remove the rate of the run, with a warning that states the current line and
  /// `why`.
  void reject_rate(std::string_view why);
  /// The log says how the run ended; the first word counts.
  void stop(contract::RunOutcome outcome, std::string reason = "", double wall_s = std::nan(""));

  /// Passes over what stands in the line; the first of them are told one by one, then counted.
  void skip(std::string_view why);
  /// True of a place that does not lie behind `last`, which it else becomes. Such lines are
  /// passed over: the first is named in the end, with how many there were.
  bool repeats(RunPlace& last, const RunPlace& place);
  /// Passes over a line of what was told before.
  void skip_repeated();
  /// Tells in the end what is the same of many lines, of which `line` is the first.
  void sum_up(int line, const std::string& what);
  /// The program that wrote the log leaves no line by which its end is known.
  void lacks_end_line() { content_.has_end_line = false; }
  /// The text ends within a line.
  void cut_off() { content_.file.truncated = true; }

  void fact(const std::string& name, std::string value);
  void fact(const std::string& name, std::int64_t value);
  bool knows(const std::string& name) const { return content_.facts.contains(name); }

  /// Samples of an optimizer step over all ranks: as the log says, or else as the run does; 1 where
  /// neither does, so that what can be measured shows before anybody has told it.
  std::int64_t global_batch() const { return global_batch_; }
  /// Whether anybody says it.
  bool knows_batch() const { return run_.global_batch > 0 || knows("global_batch"); }
  std::int64_t steps() const { return next_step_; }
  LogContent finish();

 private:
  const contract::RunSpec& run_;
  LogContent content_;
  contract::RunStart start_;
  std::int64_t global_batch_;
  std::int64_t next_step_ = 0;
  std::int64_t repeated_ = 0;  ///< lines
  int first_repeated_ = 0;     ///< of them
  std::vector<std::string> sums_;
  LossWatch losses_;
  RateCheck rates_;
  int line_ = 0;
  bool stopped_ = false;
};

/// Reads a text line by line with `take(line)`: where several ranks write, the lines of one, by
/// what is `own`. Lines that no trainer writes, for their length, are named. So many lines of the
/// log stand `before` the text.
template <class Take>
void take_lines(std::string_view text, CollectedLog& log, Take take, const OwnLines& own = {},
                int before = 0) {
  constexpr std::size_t kTried = std::size_t{1} << 18;  // bytes that tell how dense it is
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
      take(lines.line());
    }
  }
  if (ranks.first_left_out() > 0) {
    log.sum_up(before + ranks.first_left_out(), ranks.what_is_left_out());
  }
}

/// What a format's `Reader` makes of a log: it begins with the run and takes line after line.
template <class Reader>
LogContent read_with(std::string_view text, const contract::RunSpec& run, const OwnLines& own) {
  Reader reader(run);
  take_lines(
      text, reader.log(), [&](const LogLine& line) { reader.take(line); }, own);
  return reader.finish();
}

}  // namespace dlscale::analysis
