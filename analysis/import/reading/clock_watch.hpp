// SPDX-License-Identifier: Apache-2.0
// Notices times of steps or epochs that look like the time since the start of the program.
#pragma once

#include <string>

namespace dlscale::analysis {

/// Times of consecutive lines of a log. If a log prints the time since the start of the program,
/// the times grow from line to line. They fall only where a process or an epoch begins. Times of
/// steps fluctuate instead.
class ClockWatch {
 public:
  /// Adds the time that a line states, in seconds for each step.
  void add(double time_s, int line);

  /// Returns a warning, or an empty text if the times do not look like the time since the start.
  /// `field` is the name of the field that the lines state.
  std::string warning(const std::string& field) const;
  /// Returns the line of the first time, or 0 if there is none.
  int line() const { return line_; }

 private:
  bool grows_like_clock() const;
  void begin(double time_s);

  double first_s_ = 0, last_s_ = 0;  ///< first and last time since the last fall
  int rises_ = 0;                    ///< number of rises since the last fall
  int all_rises_ = 0, starts_ = 0;   ///< number of rises, and of sequences of rising times
  int line_ = 0;                     ///< line of the first time; 0: none
  bool fluctuates_ = false;          ///< true if a time fell, but not to the start of a sequence
  bool has_grown_ = false;           ///< true if a sequence grew like a clock
};

}  // namespace dlscale::analysis
