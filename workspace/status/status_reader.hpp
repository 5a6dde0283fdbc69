// SPDX-License-Identifier: Apache-2.0
// Reads the current states of the runs of a plan folder, from its files and its scheduler.
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

/// Returns the run as in the --json output of the verbs.
contract::RunStatus record_of(const ShownRun& shown);

class StatusReader {
 public:
  /// All arguments must outlive the object.
  StatusReader(const contract::Plan& plan, const contract::PlanDir& folder,
               const base::Clock& clock);

  void states_in_files();
  /// Reads the files between two queries of the scheduler. The last answer of the scheduler holds
  /// for runs about which the files have no newer information.
  void look_at_files_again();
  /// Queries the scheduler if it has any of the runs, and records ends unless another process does.
  /// Throws runner::SchedulerUnreachable.
  void ask();

  runner::States states() const;
  /// Returns the Unix time of the first known start; 0: none.
  double first_start_s() const;
  /// Returns the runs with their states, without progress.
  std::vector<ShownRun> runs(const std::vector<const contract::PlannedRun*>& chosen) const;
  /// Adds the current progress.
  void add_progress(std::vector<ShownRun>& runs);

 private:
  void mark_unneeded();

  const contract::Plan& plan_;
  const contract::PlanDir& folder_;
  const base::Clock& clock_;
  std::unique_ptr<runner::CommandRunner> commands_;
  std::unique_ptr<runner::JobScheduler> scheduler_;  ///< created at the first use
  runner::PolledRuns polled_runs_;                   // by run id
  runner::States judged_;                            // states for which unneeded_ was computed
  std::map<std::string, std::string> unneeded_;      // unneeded repetitions with reasons
  std::map<std::string, RunProgress> done_;          // for runs whose files had to be read
};

}  // namespace dlscale::workspace
