// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/status_reader.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "runner/batch/command_runner.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/status/launch_log.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/jobs/job_environment.hpp"

namespace dlscale::workspace {
using runner::JobState;
namespace {

/// Opens the launch log. Returns null if another process holds the log or if it cannot be written.
std::unique_ptr<runner::LaunchLog> try_to_open(const contract::PlanDir& folder,
                                               const base::Clock& clock) {
  try {
    return std::make_unique<runner::LaunchLog>(folder.launch_log(), clock);
  } catch (const base::RunError&) {
    return nullptr;
  }
}

}  // namespace

contract::RunStatus record_of(const ShownRun& shown) {
  const RunProgress& progress = shown.progress;
  return {shown.run->run_id, to_string(shown.state), progress.reason,    shown.run->stale,
          progress.epoch,    progress.epochs,        progress.elapsed_s, progress.nodes,
          shown.run->job,    progress.job_id};
}

StatusReader::StatusReader(const contract::Plan& plan, const contract::PlanDir& folder,
                           const base::Clock& clock)
    : plan_(plan), folder_(folder), clock_(clock) {}

void StatusReader::states_in_files() {
  polled_runs_ = runner::states_in_files(plan_, folder_);
  mark_unneeded();
}

/// Marks the repetitions that are not needed. The set of these repetitions can change only when a
/// run changes its state, so the set is computed only then.
void StatusReader::mark_unneeded() {
  if (plan_.until.efficiency_ci == 0) return;
  auto now = states();
  if (now != judged_) {
    unneeded_ = unneeded_repeats(plan_, folder_, now);
    judged_ = std::move(now);
  }
  for (const auto& [run, why] : unneeded_) {
    polled_runs_[run].state = JobState::NotNeeded;
    polled_runs_[run].reason = why;
  }
}

void StatusReader::look_at_files_again() {
  const auto heard = std::move(polled_runs_);
  states_in_files();
  for (const auto& [run, before] : heard) {
    runner::PolledRun& now = polled_runs_.at(run);
    const bool same_job = now.id == before.id && now.submissions == before.submissions;
    const bool knows_better = runner::has_ended(now.state) || now.state == JobState::Planned;
    if (same_job && !knows_better) now = before;
  }
}

void StatusReader::ask() {
  if (!std::filesystem::exists(folder_.launch_log())) return states_in_files();
  if (!scheduler_) {
    commands_ = runner::make_command_runner(job_environment(folder_, plan_.scheduler));
    scheduler_ = base::find(runner::job_scheduler_table(), "job scheduler", plan_.scheduler)
                     .make(runner::scheduler_setup(*commands_, clock_));
  }
  const std::unique_ptr<runner::LaunchLog> log = try_to_open(folder_, clock_);
  const bool followed = !log && runner::is_taken(folder_.launch_log());
  polled_runs_ = runner::poll(plan_, folder_, {*scheduler_, clock_, log.get(), followed});
  mark_unneeded();
}

runner::States StatusReader::states() const {
  runner::States states;
  states.reserve(polled_runs_.size());
  for (const auto& [run, polled] : polled_runs_) states.emplace(run, polled.state);
  return states;
}

double StatusReader::first_start_s() const {
  double first_s = 0;
  for (const auto& [run, polled] : polled_runs_) {
    const bool earlier = first_s == 0 || polled.started_at < first_s;
    if (polled.started_at > 0 && earlier) first_s = polled.started_at;
  }
  return first_s;
}

std::vector<ShownRun> StatusReader::runs(
    const std::vector<const contract::PlannedRun*>& chosen) const {
  std::vector<ShownRun> shown;
  shown.reserve(chosen.size());
  for (const contract::PlannedRun* run : chosen) {
    shown.push_back({run, polled_runs_.at(run->run_id).state});
  }
  return shown;
}

void StatusReader::add_progress(std::vector<ShownRun>& runs) {
  for (ShownRun& shown : runs) {
    const std::string& id = shown.run->run_id;
    const runner::PolledRun& polled = polled_runs_.at(id);
    const bool done = shown.state == JobState::Done && !needs_no_files(*shown.run, polled);
    if (const auto known = done_.find(id); done && known != done_.end()) {
      shown.progress = known->second;
      continue;
    }
    shown.progress = read_progress(folder_, *shown.run, polled, clock_.unix_s());
    const bool all_is_said = polled.submissions == 0 || polled.ended_at > 0;
    if (done && all_is_said) done_[id] = shown.progress;
  }
}

}  // namespace dlscale::workspace
