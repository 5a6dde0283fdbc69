// SPDX-License-Identifier: Apache-2.0
// The step windows of a run added up, of those of its launches that make up its result.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "contract/records/result_record.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

// Sums over step windows of a launch, as the table `step_sum` has them: a table of a million
// windows need not be read for what a few thousand launches took.

struct WindowSum {
  std::int64_t windows = 0;
  std::int64_t end_step = 0;  ///< behind the last of them, over the whole run
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double wall_s = 0;
  double bytes_sent = 0;
  double comm_busy_s = 0;                              ///< mean over the ranks
  std::array<double, contract::kStepParts> parts_s{};  ///< means over the ranks

  /// In the order of the lines, so that sums have the same bits each time. NaN, what a log does not
  /// say, adds nothing; counts beyond what 64 bits hold stay at the most.
  void add(const contract::StepWindow& window);
};

/// Where a window ends, likewise.
std::int64_t end_of(const contract::StepWindow& window);

/// Columns of the sums, in the order of the members above.
const std::vector<std::string>& window_sum_columns();

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
