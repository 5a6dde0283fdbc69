// SPDX-License-Identifier: Apache-2.0
// Reads the progress and the end of a run from the files that the run and its job script wrote.
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

// Start and end of runs, as job scripts record them in logs/<run_id>.end.

struct RunNotes {
  bool started = false;
  double started_at = 0;          ///< Unix time in s of the last start, 0 = unknown
  std::string job_id;             ///< job id in the last record
  std::int64_t stderr_bytes = 0;  ///< size of the run's error file at its last start
  std::string software;  ///< description of the software of the last launch; empty: unknown
  /// Record of the end. The record is missing while the script runs and after the script was
  /// killed.
  std::optional<contract::LaunchRecord> end;
};

/// Returns the start and the end of a run in the submission `launch`. With an empty `launch`,
/// returns the last start in any submission and the end that belongs to this start. A start after
/// an end belongs to a requeued job, so that end is discarded. Malformed lines are skipped. The
/// order of the records counts instead of their times, because the clocks of nodes differ.
RunNotes read_run_notes(const contract::PlanDir& plan, const std::string& run_id,
                        const std::string& launch = {});

/// Launch of an external run that ended with exit code 0.
struct CompletedLaunch {
  std::string software;     ///< description of the software, see SoftwareRecord
  double described_at = 0;  ///< Unix time in s at which the job read the software
};

/// Returns the last completed launch whose software the job script described. Returns nothing for a
/// run without such a launch.
std::optional<CompletedLaunch> completed_launch(const contract::PlanDir& plan,
                                                const std::string& run_id);

// Progress and end of a run, read from the files of the run.

struct RunResults {
  bool completed = false;  ///< true: one of the launches trained to the end
  int launches = 0;        ///< number of the last launch, 0 = no launch
  // The fields below describe the last launch.
  std::optional<contract::RunStart> start;
  std::optional<contract::RunStop> stop;
  int epochs = 0;               ///< number of epochs trained to the end
  std::int64_t saved_step = 0;  ///< optimizer steps in the last checkpoint, 0 = no checkpoint
};

/// Reads the results of the launches that began before `unix_time` (seconds since 1970). A launch
/// without a start record counts as earlier than `unix_time`. Missing or unreadable files count as
/// empty, because the run may just be writing the files.
RunResults read_run_results(const contract::RunDir& run,
                            double unix_time = std::numeric_limits<double>::infinity());

/// Returns whether any launch trained to the end, like RunResults::completed. This function is
/// faster than read_run_results(), because it reads only the ends of the files.
bool has_completed(const contract::RunDir& run);

}  // namespace dlscale::runner
