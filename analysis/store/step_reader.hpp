// SPDX-License-Identifier: Apache-2.0
// Adds up the step windows of the launches that make up the result of a run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/store/launch_link.hpp"
#include "contract/records/result_record.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

// Sums over the step windows of a launch, as the table `step_sum` stores them. The sums exist so
// that the totals of a few thousand launches can be read without reading a million windows.

struct WindowSum {
  std::int64_t windows = 0;
  /// Number of the step after the last window, counted over the whole run.
  std::int64_t end_step = 0;
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double wall_s = 0;
  double bytes_sent = 0;
  double collectives = 0;
  double comm_busy_s = 0;  ///< seconds with collectives in progress, mean over the ranks
  /// Seconds of each step part, means over the ranks.
  std::array<double, contract::kStepParts> parts_s{};

  /// Adds a window. Windows must be added in the order of their lines in the log, so that
  /// floating-point sums have the same bits each time. NaN marks a value that the log does not
  /// record and adds nothing. Counts that would exceed 64 bits stay at the largest value.
  void add(const contract::StepWindow& window);
};

/// Returns the number of the step that follows a window. The result stays at the largest 64-bit
/// value instead of overflowing.
std::int64_t end_of(const contract::StepWindow& window);

/// Returns the names of the columns of the table `step_sum` that hold the members of WindowSum, in
/// the order of these members.
const std::vector<std::string>& window_sum_columns();

/// Reader of the step totals of a run. It uses the sums that the database stores for each launch.
/// It adds up single windows only in two cases:
/// - The launch continued beyond the checkpoint from which the next launch resumed.
/// - The warm-up of the launch took longer than the trainer marked, and the whole warm-up is to be
///   left out.
class StepReader {
 public:
  StepReader(SQLite::Database& database, WarmUp warmup);
  ~StepReader();
  StepReader(const StepReader&) = delete;
  StepReader& operator=(const StepReader&) = delete;

  /// Fills `run.steps`, `run.counters`, `run.measured`, `run.warmup`, and the kept and lost time in
  /// `run.spent`. `chain` contains the launches that make up the result of the run, earliest first.
  void read(RunRow& run, const std::vector<LaunchLink>& chain);

 private:
  void read_counters(RunRow& run, const std::vector<LaunchLink>& chain, std::int64_t steps);

  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
