// SPDX-License-Identifier: Apache-2.0
// Reads from the files of a run and of its job script how far the run came and why the run stopped.
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

// Start and end of runs as recorded by job scripts in logs/<run_id>.end.

struct RunNotes {
  bool started = false;
  std::string job_id;                         ///< job id of the last start or end
  std::int64_t stderr_bytes = 0;              ///< size of the run's error file at its last start
  std::optional<contract::LaunchRecord> end;  ///< end, empty if the script runs or was killed
};

/// Returns the records of the run for the submission `launch`. An empty `launch` selects the last
/// start, whatever program submitted it. A start after an end belongs to a requeued job, so the end
/// is discarded. Malformed lines are skipped. Times are ignored, because the clocks of nodes
/// differ.
RunNotes read_run_notes(const contract::PlanDir& plan, const std::string& run_id,
                        const std::string& launch = {});

// Progress and end of a run, read from the files of the run.

struct RunResults {
  bool completed = false;  ///< true: any launch trained to the end
  int launches = 0;        ///< number of the last launch, 0 = no launch
  // The fields below describe the last launch.
  std::optional<contract::RunStart> start;
  std::optional<contract::RunStop> stop;
  int epochs = 0;               ///< number of epochs trained to the end
  std::int64_t saved_step = 0;  ///< optimizer steps in the last checkpoint, 0 = no checkpoint
};

/// Reads the launches that began before `unix_time` (seconds since 1970). Launches without a start
/// record count as earlier. Missing or unreadable files count as empty, because the run may be
/// writing the files.
RunResults read_run_results(const contract::RunDir& run,
                            double unix_time = std::numeric_limits<double>::infinity());

/// Returns true if any launch trained to the end, like RunResults::completed. Reads only the ends
/// of the files.
bool has_completed(const contract::RunDir& run);

}  // namespace dlscale::runner
