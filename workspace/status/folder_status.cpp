// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/folder_status.hpp"

#include "runner/batch/retry_policy.hpp"
#include "workspace/status/code_versions.hpp"
#include "workspace/status/run_warnings.hpp"
#include "workspace/status/time_left.hpp"

namespace dlscale::workspace {
namespace {

/// Minimum time in seconds between two queries of the scheduler. The scheduler serves many users.
constexpr double kStatusPatience_s = 15;

}  // namespace

FolderStatus::FolderStatus(const std::filesystem::path& folder, bool offline)
    : offline_(offline),
      plan_(contract::read_plan(contract::PlanDir(folder))),
      folder_(std::filesystem::canonical(folder)),
      reader_(plan_, folder_, clock_) {}

void FolderStatus::update() {
  if (offline_) return reader_.states_in_files();
  const double now_s = clock_.steady_s();
  const double patience_s = plan_.scheduler == "local" ? 0 : kStatusPatience_s;
  if (asked_s_ && now_s - *asked_s_ < patience_s) return reader_.look_at_files_again();
  asked_s_ = now_s;
  problem_.clear();
  try {
    reader_.ask();
  } catch (const runner::SchedulerUnreachable& error) {
    problem_ = error.what();
    reader_.states_in_files();
  }
}

std::vector<std::string> FolderStatus::warnings(const std::vector<ShownRun>& runs) const {
  RunIds all;
  std::vector<std::string> completed;
  for (const ShownRun& shown : runs) {
    all.insert(shown.run->run_id);
    if (shown.state == runner::JobState::Done) completed.push_back(shown.run->run_id);
  }
  std::vector<std::string> warnings = code_changes(plan_, folder_, all);
  for (std::string& old : old_code_warnings(plan_, folder_, all)) {
    warnings.push_back(std::move(old));
  }
  const std::vector<std::string> without = runs_without_records(plan_, folder_, completed);
  if (!without.empty()) warnings.push_back(nothing_read(plan_, folder_, without));
  return warnings;
}

contract::StatusReport report_of(const FolderStatus& status, const std::vector<ShownRun>& runs) {
  contract::StatusReport report{
      status.plan().study, status.unix_s(), {}, 0, time_left(runs), {}, {}};
  report.warnings = status.warnings(runs);
  for (const ShownRun& shown : runs) {
    ++report.counts[to_string(shown.state)];
    report.stale += shown.run->stale ? 1 : 0;
    report.runs.push_back(record_of(shown));
  }
  return report;
}

std::string csv_of(const FolderStatus& status, const std::vector<ShownRun>& runs) {
  std::vector<RunColumn> columns = plan_columns(status.plan());
  for (RunColumn& column : progress_csv_columns()) columns.push_back(std::move(column));
  return runs_as_csv(runs, columns);
}

}  // namespace dlscale::workspace
