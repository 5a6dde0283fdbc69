// SPDX-License-Identifier: Apache-2.0
// Shows the progress of packing or checking record files on a terminal, and handles Ctrl-C.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "cli/terminal/signals.hpp"
#include "cli/terminal/terminal.hpp"

namespace dlscale::cli {

/// Thrown by PackView when the user interrupts.
struct Interrupted {};

/// Prints to standard error: a progress bar on a terminal, and problems everywhere.
class PackView {
 public:
  explicit PackView(const base::Clock& clock);

  /// Starts a file. `things` names the counted items.
  void begin(const std::string& file, const std::string& things);
  /// Advances the bar. Throws Interrupted.
  void show(std::int64_t done, std::int64_t total);
  /// Prints a problem and counts it in the bar.
  void complain(const std::string& line);

 private:
  const base::Clock& clock_;
  const Terminal terminal_;
  StopSignals signals_;
  StatusLine line_;
  ProgressState state_;
  double start_s_ = 0;
  double drawn_s_ = 0;
};

}  // namespace dlscale::cli
