// SPDX-License-Identifier: Apache-2.0
// The states of a plan folder's runs, brought up to date as often as the batch system may be asked.
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
  /// With `offline` the batch system is never asked. Throws base::Error where there is no plan.
  FolderStatus(const std::filesystem::path& folder, bool offline);

  /// Asks the batch system, unless it was asked a moment ago, and reads the files.
  void update();

  const contract::Plan& plan() const { return plan_; }
  runner::States states() const { return reader_.states(); }
  /// Why the batch system did not answer the last question; empty where it did.
  const std::string& problem() const { return problem_; }
  double unix_s() const { return clock_.unix_s(); }
  double first_start_s() const { return reader_.first_start_s(); }

  /// As StatusReader has it.
  std::vector<ShownRun> runs(const std::vector<const contract::PlannedRun*>& chosen) const {
    return reader_.runs(chosen);
  }
  void add_progress(std::vector<ShownRun>& runs) { reader_.add_progress(runs); }

 private:
  const bool offline_;
  const base::SystemClock clock_;
  const contract::Plan plan_;
  const contract::PlanDir folder_;  ///< absolute: batch systems know jobs by their scripts
  StatusReader reader_;
  std::optional<double> asked_s_;  ///< steady time
  std::string problem_;
};

/// As `dlscale status --json` has it; `runs` have their progress.
contract::StatusReport report_of(const FolderStatus& status, const std::vector<ShownRun>& runs);
/// The same as `dlscale status --csv` has it.
std::string csv_of(const FolderStatus& status, const std::vector<ShownRun>& runs);

}  // namespace dlscale::workspace
