// SPDX-License-Identifier: Apache-2.0
// Checks whether the windows of an MLPerf log plausibly cover the time in which the run trained.
// Some programs dispatch work to the accelerators and write the end of a block, an epoch or an
// evaluation before the work is done. The lines of such a program then enclose a few milliseconds,
// and the training happens between the windows. The rate of such a log is wrong by factors of 2 to
// 10,000, and no single line shows the error. Only the whole run shows the error: most of the time
// of the run is neither training nor evaluation, or the rate of one window is much higher than the
// rate of all windows together.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace dlscale::analysis {

/// Time span between two lines of a log, in seconds.
struct TimeSpan {
  double begin_s = 0, end_s = 0;
  double seconds() const { return end_s - begin_s; }
};

class MlperfCoverage {
 public:
  /// Adds a step window. Its duration is the sum of the durations of `parts`.
  void add_window(const std::vector<TimeSpan>& parts, double samples, bool warmup, int line);
  /// Adds a time span that the reader has left out with a message.
  void leave_out(const TimeSpan& span);
  void period_starts(double time_s);
  void period_ends(double time_s) { last_end_s_ = time_s; }
  void evaluation_starts(double time_s);
  void evaluation_stops(double time_s);
  /// Adds the time at which the quality of an evaluation is reported. In logs without lines for the
  /// start of an evaluation, this is the only sign of an evaluation.
  void evaluated(double time_s);

  /// Returns the reason why the windows cannot cover the time of the training, or nothing if the
  /// windows are plausible.
  std::optional<std::string> contradiction() const;

 private:
  struct Window {
    double samples = 0, wall_s = 0;
    int line = 0;
  };
  std::optional<std::string> too_fast_window() const;
  std::optional<std::string> too_little_time() const;

  /// Spans of training (`trained_`), and spans of evaluations or left-out spans (`accounted_`).
  std::vector<TimeSpan> trained_, accounted_;
  std::vector<Window> windows_;             ///< windows without warm-up
  std::deque<double> running_evaluations_;  ///< start times of running evaluations
  std::optional<double> last_end_s_;        ///< end of the last training period
  bool has_evaluation_starts_ = false;
};

}  // namespace dlscale::analysis
