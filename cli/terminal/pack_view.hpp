// SPDX-License-Identifier: Apache-2.0
// Shows the progress of packing or checking record files on a terminal, and handles Ctrl-C.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "cli/terminal/signals.hpp"
#include "cli/terminal/terminal.hpp"

namespace dlscale::cli {

/// Exception that PackView throws when the user interrupts the program.
struct Interrupted {};

/// View that prints to standard error. On a terminal it shows a progress bar. Problems are always
/// printed.
class PackView {
 public:
  explicit PackView(const base::Clock& clock);

  /// Starts the progress bar of a file. `things` is the noun for the counted items, such as
  /// "images".
  void begin(const std::string& file, const std::string& things);
  /// Moves the progress bar to `done` of `total` items. Throws Interrupted after an interruption by
  /// the user.
  void show(std::int64_t done, std::int64_t total);
  /// Prints a problem and adds 1 to the number of problems in the progress bar.
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
