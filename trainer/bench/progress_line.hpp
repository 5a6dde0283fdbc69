// SPDX-License-Identifier: Apache-2.0
// How far a benchmark is, on the last line of a terminal.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace dlscale::trainer {

/// Writes to standard error where that is a terminal, nothing elsewhere.
class ProgressLine {
 public:
  ProgressLine(const base::Clock& clock, bool shown);
  /// Leaves the line empty.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `done` of `all` are over, of which the first `skipped` took no time; `what` comes next.
  void show(int done, int all, const std::string& what, int skipped = 0);
  /// Takes the line away, for something else to be printed.
  void clear();

  /// Whether standard error is a terminal.
  static bool is_on_terminal();

 private:
  const base::Clock& clock_;
  const bool shown_;
  const double start_s_;
  bool drawn_ = false;
};

/// "[#####-----] 5/10 relu_forward, 0:00:12 left"
std::string progress_text(int done, int all, const std::string& what, double left_s);

}  // namespace dlscale::trainer
