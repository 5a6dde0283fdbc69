// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a request to stop, not as sudden death, and going on in the background, beyond the end
// of the terminal.
#pragma once

#include <csignal>
#include <filesystem>

namespace dlscale::cli {

// Ctrl-C as a request to stop, not as sudden death.

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

// Going on in the background, beyond the end of the terminal.

/// From here on there are two processes. The one that got false is the old one: it has said where
/// the output of the other goes, and is to end without touching what both have open. The other,
/// without a terminal, goes on; its output is added to `log`. Throws base::RunError.
bool detach(const std::filesystem::path& log);

}  // namespace dlscale::cli
