// SPDX-License-Identifier: Apache-2.0
// Keeps the states of the runs in a plan folder up to date and limits the rate of queries to the
// scheduler.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/view_records.hpp"
#include "workspace/status/status_reader.hpp"

namespace dlscale::workspace {

class FolderStatus {
 public:
  /// Reads the plan. With `offline`, the scheduler is never queried. Throws base::Error if there is
  /// no plan.
  FolderStatus(const std::filesystem::path& folder, bool offline);

  /// Reads the files of the folder. Also queries the scheduler, unless the last query is very
  /// recent.
  void update();

  const contract::Plan& plan() const { return plan_; }
  const contract::PlanDir& folder() const { return folder_; }
  runner::States states() const { return reader_.states(); }
  /// Returns the reason why the scheduler did not answer the last query, or an empty text if it
  /// answered.
  const std::string& problem() const { return problem_; }
  double unix_s() const { return clock_.unix_s(); }
  double first_start_s() const { return reader_.first_start_s(); }

  /// Returns the runs with their states, see StatusReader::runs().
  std::vector<ShownRun> runs(const std::vector<const contract::PlannedRun*>& chosen) const {
    return reader_.runs(chosen);
  }
  void add_progress(std::vector<ShownRun>& runs) { reader_.add_progress(runs); }
  /// Returns warnings about the code and the records of external runs, see run_warnings.hpp.
  std::vector<std::string> warnings(const std::vector<ShownRun>& runs) const;

 private:
  const bool offline_;
  const base::SystemClock clock_;
  const contract::Plan plan_;
  /// Absolute path of the plan folder, because schedulers know jobs by the paths of their scripts.
  const contract::PlanDir folder_;
  StatusReader reader_;
  std::optional<double> asked_s_;  ///< time of the last query on the steady clock
  std::string problem_;
};

/// Returns the document of `dlscale status --json`. The progress of `runs` must have been added.
contract::StatusReport report_of(const FolderStatus& status, const std::vector<ShownRun>& runs);
/// Returns the text of `dlscale status --csv`.
std::string csv_of(const FolderStatus& status, const std::vector<ShownRun>& runs);

}  // namespace dlscale::workspace
