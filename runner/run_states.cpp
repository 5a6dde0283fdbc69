// SPDX-License-Identifier: Apache-2.0
#include "runner/run_states.hpp"

#include <filesystem>
#include <optional>
#include <vector>

#include "base/file.hpp"
#include "contract/launch_record.hpp"
#include "runner/run_results.hpp"

namespace dlscale::runner {
namespace {

std::vector<contract::LaunchRecord> read_log(const std::filesystem::path& file) {
  std::error_code unreadable;
  if (!std::filesystem::exists(file, unreadable)) return {};
  return contract::parse_launch_log(base::read_file(file));
}

JobState state_in(const contract::LaunchRecord& record) {
  if (record.event == "submitted") return JobState::Submitted;
  if (record.event == "started" || !record.outcome) return JobState::Running;
  return state_of(*record.outcome);
}

/// The last word of the launch log on a run: on itself or on its job.
class LastWords {
 public:
  explicit LastWords(const std::vector<contract::LaunchRecord>& records) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const contract::LaunchRecord& record = records[i];
      (record.run_id.empty() ? jobs_[record.job] : runs_[record.run_id]) = {i + 1,
                                                                            state_in(record)};
    }
  }
  std::optional<JobState> on(const contract::PlannedRun& run) const {
    const auto own = runs_.find(run.run_id);
    const auto job = jobs_.find(run.job);
    const Word of_run = own == runs_.end() ? Word{} : own->second;
    const Word of_job = job == jobs_.end() ? Word{} : job->second;
    if (of_run.number == 0 && of_job.number == 0) return std::nullopt;
    return of_run.number > of_job.number ? of_run.state : of_job.state;
  }

 private:
  struct Word {
    std::size_t number = 0;  ///< from 1 in the order of the log; 0 = none
    JobState state = JobState::Planned;
  };
  std::map<std::string, Word> runs_, jobs_;
};

bool kept_output(const contract::PlannedRun& run, const contract::PlanDir& folder) {
  const auto launches = folder.run(run.run_id).launches();
  return !launches.empty() && std::filesystem::exists(launches.back().out()) &&
         !std::filesystem::exists(launches.back().results());
}

/// What the job script noted of the run's end, or of the whole job's.
std::optional<JobState> end_by_script(const contract::PlannedRun& run,
                                      const contract::PlanDir& folder) {
  std::optional<JobState> end;
  for (const contract::LaunchRecord& record : read_log(folder.job_end(run.job))) {
    if (!record.run_id.empty() && record.run_id != run.run_id) continue;
    const auto outcome = record.outcome.value_or(contract::outcome_of_exit(record.exit_code));
    // Without results a good exit is none, but for other programs, whose scripts keep their output.
    const bool other = !run.log_format.empty() || kept_output(run, folder);
    const bool bad = outcome == contract::RunOutcome::Completed && !other;
    end = bad ? JobState::Failed : state_of(outcome);
  }
  return end;
}

JobState state_of_run(const contract::PlannedRun& run, const contract::PlanDir& folder,
                      const LastWords& log) {
  const RunResults results = read_run_results(folder.run(run.run_id));
  if (results.completed) return JobState::Done;
  if (const auto noted = log.on(run)) return *noted;
  const auto ended = end_by_script(run, folder);
  // Ranks that were told to stop do not know why: the launcher stops all when one fails.
  const bool told_to_stop =
      results.stop && results.stop->outcome == contract::RunOutcome::Cancelled;
  if (results.stop && !(told_to_stop && ended)) return state_of(results.stop->outcome);
  if (ended) return *ended;
  return results.launches > 0 ? JobState::Running : JobState::Planned;
}

}  // namespace

std::map<std::string, JobState> run_states(const contract::Plan& plan,
                                           const contract::PlanDir& folder) {
  const LastWords log(read_log(folder.launch_log()));
  std::map<std::string, JobState> states;
  for (const contract::PlannedRun& run : plan.runs) {
    states[run.run_id] = state_of_run(run, folder, log);
  }
  return states;
}

}  // namespace dlscale::runner
