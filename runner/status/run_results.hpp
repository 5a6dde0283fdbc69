// SPDX-License-Identifier: Apache-2.0
// What the files of a run and its job script say about how far it came and why it stopped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "contract/plan/run_dir.hpp"
#include "contract/records/launch_record.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::runner {

// What job scripts noted of their runs: logs/<run_id>.end.

struct RunNotes {
  bool started = false;
  std::string job_id;                         ///< of the start or end noted last
  std::int64_t stderr_bytes = 0;              ///< size of the run's error file when it last started
  std::optional<contract::LaunchRecord> end;  ///< empty while the script runs, or died
};

/// Of a run's submission `launch`; where that is empty, of its last start by whomever. A start
/// after an end is of a job that was requeued: then the end does not count. Broken lines are passed
/// over, times are not looked at: nodes have clocks of their own.
RunNotes read_run_notes(const contract::PlanDir& plan, const std::string& run_id,
                        const std::string& launch = {});

// What the files of a run say about how far it came and why it stopped.

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
