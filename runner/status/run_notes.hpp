// SPDX-License-Identifier: Apache-2.0
// What job scripts noted of their runs: logs/<run_id>.end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "contract/plan/run_dir.hpp"
#include "contract/records/launch_record.hpp"

namespace dlscale::runner {

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

}  // namespace dlscale::runner
