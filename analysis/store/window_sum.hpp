// SPDX-License-Identifier: Apache-2.0
// Sums over step windows of a launch, as the table `step_sum` has them: a table of a million
// windows need not be read for what a few thousand launches took.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/records/result_record.hpp"

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
