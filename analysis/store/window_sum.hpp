// SPDX-License-Identifier: Apache-2.0
// Adds up the step windows of a launch for the table `step_sum`. With these sums, the totals of a
// few thousand launches can be read without reading a million windows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/records/result_record.hpp"

namespace dlscale::analysis {

/// Sums over step windows of a launch, as the table `step_sum` stores them.
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

/// Returns the names of the columns of the table `step_sum` that hold the members of WindowSum, in
/// the order of these members.
const std::vector<std::string>& window_sum_columns();

/// Returns a + b. The result stays at the largest or smallest 64-bit value instead of overflowing.
std::int64_t capped_sum(std::int64_t a, std::int64_t b);

}  // namespace dlscale::analysis
