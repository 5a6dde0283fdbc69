// SPDX-License-Identifier: Apache-2.0
// Converts Ctrl-C to a stop request, and lets the program continue in the background after the
// terminal closes.
#pragma once

#include <csignal>
#include <filesystem>

namespace dlscale::cli {

// The following class counts stop requests.

/// Counter of the signals SIGINT, SIGTERM and SIGHUP, which have no other effect while the counter
/// exists. SIGPIPE is ignored: with `dlscale run | tee log`, Ctrl-C also ends `tee`, and writing to
/// the closed pipe must not end dlscale before the jobs are stopped. At most one instance may
/// exist.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// Returns the number of signals since the counter was created.
  int count() const;
};

// The following function lets the program continue in the background.

/// Forks the process. In the parent process, prints the path of the child's output and returns
/// false. The parent must then exit without changing files that it shares with the child. In the
/// child process, returns true. The child has no terminal and appends its output to `log`. Throws
/// base::RunError if the system cannot fork the process or open `log`.
bool detach(const std::filesystem::path& log);

}  // namespace dlscale::cli
