// SPDX-License-Identifier: Apache-2.0
// Checks that the windows of an MLPerf log can be the time in which the run trained.
// Some programs dispatch work to the accelerators and write the end of a block, of an epoch or of
// an evaluation before the work is done. Their lines then enclose a few milliseconds, and the
// training happens between the lines. The rate of such a log is wrong by factors of 2 to 10,000,
// and no single line shows it. The whole run does: most of its time is neither training nor
// evaluation, or one window is much faster than all together.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace dlscale::analysis {

/// Seconds from one line of a log to another.
struct TimeSpan {
  double begin_s = 0, end_s = 0;
  double seconds() const { return end_s - begin_s; }
};

class MlperfCoverage {
 public:
  /// Adds a step window. It lasts as long as `parts` together.
  void add_window(const std::vector<TimeSpan>& parts, double samples, bool warmup, int line);
  /// Adds time for which the reader has named a reason to leave it out.
  void leave_out(const TimeSpan& span);
  void period_starts(double time_s);
  void period_ends(double time_s) { last_end_s_ = time_s; }
  void evaluation_starts(double time_s);
  void evaluation_stops(double time_s);
  /// Adds the quality that an evaluation reached. In logs without lines for the start of an
  /// evaluation it is the only sign of one.
  void evaluated(double time_s);

  /// Returns why the windows cannot be the time of the training; nothing when they can.
  std::optional<std::string> contradiction() const;

 private:
  struct Window {
    double samples = 0, wall_s = 0;
    int line = 0;
  };
  std::optional<std::string> too_fast_window() const;
  std::optional<std::string> too_little_time() const;

  std::vector<TimeSpan> trained_, accounted_;  ///< `accounted_`: evaluations and time left out
  std::vector<Window> windows_;                ///< without warm-up
  std::deque<double> running_evaluations_;     ///< the times of their starts
  std::optional<double> last_end_s_;           ///< of a period of training
  bool has_evaluation_starts_ = false;
};

}  // namespace dlscale::analysis
