// SPDX-License-Identifier: Apache-2.0
// How the runs of a plan folder are at a moment: by its files, by its batch system.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/view_records.hpp"
#include "runner/status/look.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/runs/run_progress.hpp"

namespace dlscale::workspace {

/// As `--json` of the verbs has it.
contract::RunStatus record_of(const ShownRun& shown);

class StatusReader {
 public:
  /// All must outlive it.
  StatusReader(const contract::Plan& plan, const contract::PlanDir& folder,
               const base::Clock& clock);

  void look_at_files();
  /// The same between two questions: what was heard of the batch system holds where files do not
  /// know better.
  void look_at_files_again();
  /// Asks the batch system where it has any of the runs, and notes what has ended unless another
  /// program does. Throws runner::Unreachable.
  void ask();

  runner::States states() const;
  /// Unix time of the first start that is known; 0 = none.
  double first_start_s() const;
  /// With their states and no progress.
  std::vector<ShownRun> runs(const std::vector<const contract::PlannedRun*>& chosen) const;
  /// Adds how far they are now.
  void add_progress(std::vector<ShownRun>& runs);

 private:
  void mark_unneeded();

  const contract::Plan& plan_;
  const contract::PlanDir& folder_;
  const base::Clock& clock_;
  std::unique_ptr<runner::CommandRunner> commands_;
  std::unique_ptr<runner::JobScheduler> scheduler_;  ///< made when first asked
  runner::Looks looks_;                              // by run id
  runner::States judged_;                            // the states that unneeded_ is of
  std::map<std::string, std::string> unneeded_;      // repetitions, and why
  std::map<std::string, RunProgress> done_;          // of those that files had to be read for
};

}  // namespace dlscale::workspace
