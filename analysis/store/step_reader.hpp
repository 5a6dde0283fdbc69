// SPDX-License-Identifier: Apache-2.0
// Sums the step windows of the launches that make up the result of a run.
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

// Sums over the step windows of a launch, as the table `step_sum` stores them. A reader of these
// sums avoids reading a million windows to get the totals of a few thousand launches.

struct WindowSum {
  std::int64_t windows = 0;
  std::int64_t end_step = 0;  ///< step after the last window, counted over the whole run
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double wall_s = 0;
  double bytes_sent = 0;
  double comm_busy_s = 0;                              ///< collective time, mean over the ranks
  std::array<double, contract::kStepParts> parts_s{};  ///< step parts, means over the ranks

  /// Adds a window. Windows are added in the order of their lines, so that sums have the same bits
  /// each time. NaN, which marks a value that the log does not record, adds nothing. Counts that
  /// exceed 64 bits stay at the largest value.
  void add(const contract::StepWindow& window);
};

/// Returns the step after the last step of a window. The result stays at the largest 64-bit value
/// instead of overflowing.
std::int64_t end_of(const contract::StepWindow& window);

/// Returns the names of the columns of the sums, in the order of the members of WindowSum.
const std::vector<std::string>& window_sum_columns();

/// Launch, and the number of the run's steps that were done when the next launch resumed from it.
struct LaunchLink {
  int launch = 1;
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
};

/// Reader of the step totals of a run. It uses the sums that the database stores for each launch.
/// It adds up single windows only for a launch that continued beyond the step that the next launch
/// resumed from, and for a launch whose warm-up took longer than marked and is to be left out.
class StepReader {
 public:
  StepReader(SQLite::Database& database, WarmUp warmup);
  ~StepReader();
  StepReader(const StepReader&) = delete;
  StepReader& operator=(const StepReader&) = delete;

  /// Fills `run.steps`, `run.warmup`, and the kept and lost time in `run.spent`.
  void read(RunRow& run, const std::vector<LaunchLink>& chain);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
