// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a request to stop, not as sudden death.
#pragma once

#include <csignal>

namespace dlscale::cli {

/// While it lives, SIGINT, SIGTERM and a closed terminal's SIGHUP are counted and do nothing else.
/// A reader of our output that goes away (SIGPIPE: Ctrl-C ends it, too, in `dlscale run | tee log`)
/// must not end us before the jobs are stopped. One at a time in a program.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// Signals so far.
  int count() const;
};

}  // namespace dlscale::cli
