// SPDX-License-Identifier: Apache-2.0
// How the runs of a plan are at this moment, asked of the batch system once.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/batch/job_state.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

struct RunLook {
  JobState state = JobState::Planned;
  JobId id;            ///< of its last submission; empty: none
  std::string reason;  ///< one line for people; may be empty
  std::vector<std::string> nodes;
  int submissions = 0;
  double submitted_at = 0, started_at = 0, ended_at = 0;  ///< unix times; 0 = not yet
  double elapsed_s = 0;          ///< of an ended run, by the batch system's books; 0 = not known
  double peak_memory_bytes = 0;  ///< likewise
};

using Looks = std::unordered_map<std::string, RunLook>;  ///< by run id

/// Whom to ask, and where to note what has changed.
struct LookParts {
  JobScheduler& scheduler;
  const base::Clock& clock;
  LaunchLog* log = nullptr;  ///< null: nothing is noted
  /// Another program has the log: jobs that nobody knows here wait there, or run, as the files say.
  bool followed = false;
};

/// One question for all that is in the batch system's hands, none if that is nothing.
/// Throws Unreachable.
Looks look(const contract::Plan& plan, const contract::PlanDir& folder, const LookParts& parts);

/// The same by the files alone.
Looks look_at_files(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::runner
