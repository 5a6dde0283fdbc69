// SPDX-License-Identifier: Apache-2.0
// What the files of a run say about how far it came and why it stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::runner {

struct RunResults {
  bool completed = false;  ///< some launch trained to the end
  int launches = 0;        ///< number of the last launch; 0 = none
  // Of the last launch:
  std::optional<contract::RunStart> start;
  std::optional<contract::RunStop> stop;
  int epochs = 0;               ///< trained to their end
  std::int64_t saved_step = 0;  ///< optimizer steps in its last checkpoint; 0 = none
};

/// Looks only at launches that began before `unix_time`; those that wrote nothing count as such.
/// Missing or unreadable files count as empty: a run may be writing them right now.
RunResults read_run_results(const contract::RunDir& run,
                            double unix_time = std::numeric_limits<double>::infinity());

/// Whether some launch trained to the end: RunResults::completed, by the ends of the files alone.
bool has_completed(const contract::RunDir& run);

}  // namespace dlscale::runner
