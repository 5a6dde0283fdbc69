// SPDX-License-Identifier: Apache-2.0
// Progress display of a benchmark, on the last line of the terminal.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace dlscale::trainer {

/// Progress line on standard error. The line is written only if the constructor argument `shown` is
/// true.
class ProgressLine {
 public:
  ProgressLine(const base::Clock& clock, bool shown);
  /// Erases the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows that `done` of `all` items are finished and that `what` is next. `skipped` is the number
  /// of finished items that took no time because they were skipped. The estimate of the remaining
  /// time excludes these items.
  void show(int done, int all, const std::string& what, int skipped = 0);
  /// Erases the progress line, so that other output can be printed in its place.
  void clear();

  /// Returns true when standard error is a terminal.
  static bool is_on_terminal();

 private:
  const base::Clock& clock_;
  const bool shown_;
  const double start_s_;
  bool drawn_ = false;
};

/// Returns a text such as "[#####-----] 5/10 relu_forward, 0:00:12 left".
std::string progress_text(int done, int all, const std::string& what, double left_s);

}  // namespace dlscale::trainer
