// SPDX-License-Identifier: Apache-2.0
// Reads the current states of the runs in a plan folder from the files of the folder and from the
// scheduler.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/view_records.hpp"
#include "runner/status/poll.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/runs/run_progress.hpp"

namespace dlscale::workspace {

/// Returns the run in the form of the --json output of commands.
contract::RunStatus record_of(const ShownRun& shown);

class StatusReader {
 public:
  /// Creates a reader. All arguments must outlive the reader.
  StatusReader(const contract::Plan& plan, const contract::PlanDir& folder,
               const base::Clock& clock);

  void states_in_files();
  /// Updates the states from files alone, between two queries of the scheduler. The last answer of
  /// the scheduler stays valid for runs about which the files have no newer information.
  void look_at_files_again();
  /// Queries the scheduler if any of the runs were submitted to it. Records the ends of runs in the
  /// launch log, unless another process holds the log. Throws runner::SchedulerUnreachable if the
  /// scheduler does not answer.
  void ask();

  runner::States states() const;
  /// Returns the time of the earliest known start of a run in seconds since 1970. Returns 0 if no
  /// start is known.
  double first_start_s() const;
  /// Returns the runs with their states, without progress.
  std::vector<ShownRun> runs(const std::vector<const contract::PlannedRun*>& chosen) const;
  /// Adds the current progress to each of the runs.
  void add_progress(std::vector<ShownRun>& runs);

 private:
  void mark_unneeded();

  const contract::Plan& plan_;
  const contract::PlanDir& folder_;
  const base::Clock& clock_;
  std::unique_ptr<runner::CommandRunner> commands_;
  /// Scheduler of the plan, created at the first use.
  std::unique_ptr<runner::JobScheduler> scheduler_;
  runner::PolledRuns polled_runs_;  // last known state by run id
  runner::States judged_;           // states from which unneeded_ was computed
  // Reason by id of a repetition that is not needed.
  std::map<std::string, std::string> unneeded_;
  // Progress of completed runs whose files were read.
  std::map<std::string, RunProgress> done_;
};

}  // namespace dlscale::workspace
