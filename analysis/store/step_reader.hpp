// SPDX-License-Identifier: Apache-2.0
// The step windows of a run added up, of those of its launches that make up its result.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "analysis/frame.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// A launch and how many of the run's steps were done when the next went on from it.
struct LaunchLink {
  int launch = 1;
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
};

/// Takes the sums that the database keeps of each launch; only of a launch that went beyond the
/// point the next went on from, or whose warm-up took longer than marked and is to be left out,
/// are the windows themselves added up.
class StepReader {
 public:
  StepReader(SQLite::Database& database, WarmUp warmup);
  ~StepReader();
  StepReader(const StepReader&) = delete;
  StepReader& operator=(const StepReader&) = delete;

  /// Fills steps, how the warm-up ended, and of the time spent what was kept and what was lost.
  void read(RunRow& run, const std::vector<LaunchLink>& chain);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
