// SPDX-License-Identifier: Apache-2.0
#include "runner/status/run_states.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <unordered_set>

#include "base/file.hpp"
#include "contract/records/launch_record.hpp"
#include "runner/status/run_end.hpp"
#include "runner/status/run_results.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
namespace {

/// Index of the runs that left files. The index lists each folder only once and opens no files.
class Traces {
 public:
  explicit Traces(const contract::PlanDir& folder)
      : runs_(::open(folder.runs().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder.logs(), none)) {
      logs_.insert(entry.path().filename().string());
    }
    notes_end_ = folder.run_notes("").filename().string();
  }
  ~Traces() {
    if (runs_ >= 0) ::close(runs_);
  }
  Traces(const Traces&) = delete;
  Traces& operator=(const Traces&) = delete;

  bool has_notes(const std::string& run_id) const { return logs_.contains(run_id + notes_end_); }

  /// Returns false if the folder of the run contains no folders. The number of links of a folder is
  /// 2 plus the number of folders in it. The links are its name, its entry "." and an entry ".." in
  /// each of these folders. File systems that do not count links report 1.
  bool may_have_launches(const std::string& run_id) const {
    struct stat status {};
    if (runs_ < 0 || ::fstatat(runs_, run_id.c_str(), &status, 0) != 0) return false;
    return status.st_nlink != 2;
  }

 private:
  int runs_;
  std::unordered_set<std::string> logs_;
  std::string notes_end_;
};

JobState state_by_files(const contract::PlannedRun& run, const contract::PlanDir& folder,
                        const Traces& traces, const RunResults& results) {
  std::optional<JobState> noted;
  // If one rank fails, mpirun and srun stop all ranks. The stopped ranks do not know the reason.
  const bool told = results.stop && results.stop->outcome == contract::RunOutcome::Cancelled;
  if (traces.has_notes(run.run_id)) {
    const RunNotes notes = read_run_notes(folder, run.run_id);
    if (notes.started) noted = JobState::Running;
    if (notes.end) {
      const auto outcome =
          told ? contract::outcome_of_stopped(notes.end->outcome, notes.end->exit_code)
               : notes.end->outcome.value_or(contract::outcome_of_exit(notes.end->exit_code));
      // Exit code 0 without results counts as a failure, except for external programs.
      const bool bad = outcome == contract::RunOutcome::Completed && !is_external(run, folder);
      noted = bad ? JobState::Failed : state_of(outcome);
    }
  }
  const bool ended_by_script = noted && has_ended(*noted);
  if (results.stop && !(told && ended_by_script)) return state_of(results.stop->outcome);
  if (noted) return *noted;
  return results.launches > 0 ? JobState::Running : JobState::Planned;
}

JobState state_of_run(const contract::PlannedRun& run, const contract::PlanDir& folder,
                      const Traces& traces, const LaunchHistory& history) {
  const LoggedRun* const word = history.last_entry(run.run_id);
  if (word != nullptr && word->state == JobState::Done) return JobState::Done;
  const bool launched = traces.may_have_launches(run.run_id);
  if (!launched && word != nullptr) return word->state;
  if (!launched && !traces.has_notes(run.run_id)) return JobState::Planned;
  if (word != nullptr) {
    return has_completed(folder.run(run.run_id)) ? JobState::Done : word->state;
  }
  const RunResults results = launched ? read_run_results(folder.run(run.run_id)) : RunResults{};
  return results.completed ? JobState::Done : state_by_files(run, folder, traces, results);
}

}  // namespace

LaunchHistory read_history(const contract::PlanDir& folder) {
  std::error_code unreadable;
  if (!fs::exists(folder.launch_log(), unreadable)) return {};
  LaunchHistory history;
  contract::parse_launch_log(
      base::read_file(folder.launch_log()),
      [&](const contract::LaunchRecord& record) { history.add_record(record); });
  return history;
}

States run_states(const contract::Plan& plan, const contract::PlanDir& folder,
                  const LaunchHistory& history) {
  const Traces traces(folder);
  States states;
  states.reserve(plan.runs.size());
  for (const contract::PlannedRun& run : plan.runs) {
    states.emplace(run.run_id, state_of_run(run, folder, traces, history));
  }
  return states;
}

States run_states(const contract::Plan& plan, const contract::PlanDir& folder) {
  return run_states(plan, folder, read_history(folder));
}

std::set<std::string> completed_external_runs(const contract::Plan& plan,
                                              const contract::PlanDir& folder,
                                              const States& states) {
  std::set<std::string> completed;
  for (const contract::PlannedRun& run : plan.runs) {
    const bool is_done = states.at(run.run_id) == JobState::Done;
    if (is_done && is_external(run, folder)) completed.insert(run.run_id);
  }
  return completed;
}

}  // namespace dlscale::runner
