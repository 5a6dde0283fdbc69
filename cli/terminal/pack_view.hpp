// SPDX-License-Identifier: Apache-2.0
// How far packing or checking record files has come, on a terminal; and Ctrl-C meanwhile.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "cli/terminal/signals.hpp"
#include "cli/terminal/terminal.hpp"

namespace dlscale::cli {

/// What PackView throws when the user wants it to end.
struct Interrupted {};

/// On standard error: a bar where it is a terminal; complaints everywhere.
class PackView {
 public:
  explicit PackView(const base::Clock& clock);

  /// A file is begun; `things` of it are counted.
  void begin(const std::string& file, const std::string& things);
  /// Throws Interrupted.
  void show(std::int64_t done, std::int64_t total);
  /// Prints a line. They are counted in the bar.
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
