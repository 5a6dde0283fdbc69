// SPDX-License-Identifier: Apache-2.0
#include "runner/run_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "contract/launch_record.hpp"
#include "runner/run_notes.hpp"
#include "runner/run_results.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
using contract::RunOutcome;
namespace {

/// All that is known of how a run ended.
struct Evidence {
  const JobEnd& job;
  bool external = false;
  bool launched = false;                  ///< the submission made a launch folder
  std::optional<contract::RunStop> stop;  ///< of its last launch
  std::optional<contract::LaunchRecord> note;
  std::optional<int> exit_code;  ///< of the run
};

Evidence gather(const contract::PlanDir& plan, const contract::PlannedRun& run, const JobEnd& job,
                const RunResults& results) {
  Evidence seen{job, is_external(run, plan)};
  seen.launched = results.launches > job.earlier_launches;
  if (seen.launched) seen.stop = results.stop;
  seen.note = read_run_notes(plan, run.run_id, job.launch).end;
  if (seen.note) {
    seen.exit_code = seen.note->exit_code;
  } else if (!job.shared || job.status.exit_code != 0) {
    seen.exit_code = job.status.exit_code;
  }
  return seen;
}

/// True for ends that the run itself could not know: its processes were merely told to stop.
bool was_told_to_stop(const Evidence& seen) {
  const bool by_script = seen.note && !seen.note->reason.empty();
  const bool by_run = seen.stop && seen.stop->outcome == RunOutcome::Cancelled;
  const bool unknown = !seen.note && (!seen.stop || by_run);
  return by_script || unknown;
}

/// What the run's own last record says, where that is the last word.
std::optional<RunOutcome> told_by_run(const Evidence& seen) {
  if (!seen.stop) return std::nullopt;
  switch (seen.stop->outcome) {
    case RunOutcome::Completed:
    case RunOutcome::Diverged:
    case RunOutcome::OutOfMemory:
    case RunOutcome::Preempted:
      return seen.stop->outcome;
    default:
      return std::nullopt;
  }
}

RunOutcome outcome_of(const Evidence& seen) {
  if (const auto outcome = told_by_run(seen)) return *outcome;
  if (seen.external && seen.exit_code == 0) return RunOutcome::Completed;
  if (seen.exit_code == contract::kExitRunAgain) return RunOutcome::Preempted;
  const JobState state = seen.job.status.state;
  // Of several runs in a job one may have failed by itself before all were told to stop.
  if (was_told_to_stop(seen) || !seen.job.shared) {
    if (seen.job.cancelled && (was_told_to_stop(seen) || !seen.note)) return RunOutcome::Cancelled;
    const auto verdict = state == JobState::Lost ? std::nullopt : runner::outcome_of(state);
    if (verdict) return *verdict;
  }
  if (seen.note && seen.note->outcome) return *seen.note->outcome;
  const bool told = seen.stop && seen.stop->outcome == RunOutcome::Cancelled;
  if (seen.stop && !told) return seen.stop->outcome;
  if (state == JobState::Lost && !seen.note) return RunOutcome::Lost;
  if (seen.job.status.signal != 0 || seen.exit_code == 0) return RunOutcome::Failed;
  return contract::outcome_of_exit(seen.exit_code.value_or(1));
}

std::string reason_without_words(const Evidence& seen) {
  if (!seen.job.status.reason.empty()) return seen.job.status.reason;
  if (seen.note && !seen.note->reason.empty()) return seen.note->reason;
  if (seen.exit_code == 0) return "the job ended well, but the run left no final record";
  if (seen.exit_code) return fmt::format("exit code {}", *seen.exit_code);
  return "no record of its end";
}

std::string reason_of_cancellation(const JobEnd& job) {
  if (job.cancelled) return job.started ? "cancelled on request" : "cancelled before it started";
  if (!job.status.reason.empty()) return job.status.reason;
  if (job.status.state == JobState::Cancelled) return "cancelled, but not by dlscale";
  return "";
}

bool speaks_of_memory(std::string words) {
  std::transform(words.begin(), words.end(), words.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return words.find("out of memory") != std::string::npos ||
         words.find("oom-kill") != std::string::npos || words.find("oom_kill") != std::string::npos;
}

/// Which file says most about the failure, and its last line. Ranks only see that another one has
/// left; that it was killed for its memory may stand in a file behind theirs.
void explain(const std::vector<fs::path>& files, RunEnd& end) {
  for (const fs::path& file : files) {
    const std::string words = last_words(file);
    if (words.empty()) continue;
    const bool of_memory = end.outcome == RunOutcome::Failed && speaks_of_memory(words);
    if (of_memory) end.outcome = RunOutcome::OutOfMemory;
    if (of_memory || end.details.empty()) end.details = file;
    if (end.reason.empty()) end.reason = words;
    if (of_memory || !words.ends_with(" has left while others wait for it")) return;
  }
}

/// Where a run's words may be, the most telling first. mpirun ends all ranks when one dies: they
/// then say that they were told to stop, mpirun says why.
std::vector<fs::path> files_with_words(const contract::PlanDir& plan, const std::string& run_id,
                                       const Evidence& seen, int last_launch) {
  std::vector<fs::path> files{plan.run_err(run_id)};
  if (seen.job.job != run_id) files.push_back(plan.job_err(seen.job.job));
  if (!seen.launched) return files;
  const bool told = seen.stop && seen.stop->outcome == RunOutcome::Cancelled;
  const fs::path own = plan.run(run_id).launch(last_launch).err();
  files.insert(told ? files.end() : files.begin(), own);
  return files;
}

}  // namespace

bool is_external(const contract::PlannedRun& run, const contract::PlanDir& plan) {
  if (!run.log_format.empty()) return true;
  const auto launches = plan.run(run.run_id).launches();
  return !launches.empty() && fs::exists(launches.back().out()) &&
         !fs::exists(launches.back().results());
}

RunEnd judge_run(const contract::PlanDir& plan, const contract::PlannedRun& run,
                 const JobEnd& job) {
  const RunResults results = read_run_results(plan.run(run.run_id));
  const Evidence seen = gather(plan, run, job, results);
  RunEnd end;
  end.exit_code = seen.exit_code.value_or(job.status.signal == 0 ? 0 : 128 + job.status.signal);
  end.outcome = results.completed ? RunOutcome::Completed : outcome_of(seen);
  if (end.outcome == RunOutcome::Completed) return end;
  const bool told = seen.stop && seen.stop->outcome == RunOutcome::Cancelled;
  if (seen.stop && !told) end.reason = seen.stop->reason;
  if (end.outcome == RunOutcome::Cancelled) {
    end.reason = reason_of_cancellation(job);
  } else if (runner::outcome_of(job.status.state) == end.outcome) {
    end.reason = job.status.reason;  // what the run says then is what became of it by that
  }
  if (seen.exit_code != 0) {
    explain(files_with_words(plan, run.run_id, seen, results.launches), end);
  }
  if (end.reason.empty()) end.reason = reason_without_words(seen);
  return end;
}

}  // namespace dlscale::runner
