// SPDX-License-Identifier: Apache-2.0
// Turns Ctrl-C into a stop request, and continues in the background after the terminal closes.
#pragma once

#include <csignal>
#include <filesystem>

namespace dlscale::cli {

// Stop requests.

/// Counts SIGINT, SIGTERM and SIGHUP while it exists, without other effects. Also ignores SIGPIPE,
/// because a reader of the output that ends (`dlscale run | tee log` with Ctrl-C) must not end the
/// program before the jobs are stopped. At most one instance may exist.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// Returns the number of signals so far.
  int count() const;
};

// Continuing in the background.

/// Forks the process. Returns false in the parent, which has printed the place of the child's
/// output and must exit without touching shared files. Returns true in the child, which has no
/// terminal and appends its output to `log`. Throws base::RunError.
bool detach(const std::filesystem::path& log);

}  // namespace dlscale::cli
