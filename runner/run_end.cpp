// SPDX-License-Identifier: Apache-2.0
#include "runner/run_end.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/file.hpp"
#include "contract/launch_record.hpp"
#include "runner/run_results.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
using contract::RunOutcome;
namespace {

/// The exit code from the batch system, else from what the job script noted at its end.
std::optional<int> exit_code_of(const contract::PlanDir& plan, const std::string& run_id,
                                const JobEnd& job) {
  if (job.status.exit_code) return job.status.exit_code;
  std::optional<int> code;
  const double since = std::floor(job.submitted_at);  // scripts note whole seconds
  const fs::path notes = plan.job_end(job.name);
  if (job.status.state != JobState::Lost || !fs::exists(notes)) return code;
  for (const auto& record : contract::parse_launch_log(base::read_file(notes))) {
    const bool ours = record.run_id.empty() || record.run_id == run_id;
    if (ours && record.event == "ended" && record.time >= since) code = record.exit_code;
  }
  return code;
}

/// Which file says most about the failure, and its last line.
void explain(const std::vector<fs::path>& files, RunEnd& end) {
  for (const fs::path& file : files) {
    const std::string words = last_words(file);
    if (words.empty()) continue;
    end.details = file;
    if (end.reason.empty()) end.reason = words;
    return;
  }
}

RunOutcome outcome_without_record(const JobEnd& job, const std::optional<int>& exit_code) {
  if (job.cancelled) return RunOutcome::Cancelled;
  if (job.status.state == JobState::Lost && exit_code == std::nullopt) return RunOutcome::Lost;
  if (job.status.state != JobState::Lost) {
    if (const auto outcome = outcome_of(job.status.state)) return *outcome;
  }
  if (job.status.signal != 0 || exit_code == 0) return RunOutcome::Failed;
  return contract::outcome_of_exit(exit_code.value_or(1));
}

std::string reason_without_record(const JobEnd& job, const std::optional<int>& exit_code) {
  if (!job.status.reason.empty()) return job.status.reason;
  if (exit_code == 0) return "the job ended well, but the run left no final record";
  if (exit_code) return fmt::format("exit code {}", *exit_code);
  return "no record of its end";
}

}  // namespace

RunEnd judge_run(const contract::PlanDir& plan, const std::string& run_id, int earlier_launches,
                 const JobEnd& job) {
  const contract::RunDir run = plan.run(run_id);
  const RunResults results = read_run_results(run);
  const bool launched = results.launches > earlier_launches;
  auto stop = launched ? results.stop : std::nullopt;
  // mpirun ends all ranks when one dies. They then say they were told to stop, which is true of
  // them, but not why the run ended: that is what mpirun says.
  const bool told_to_stop = stop && stop->outcome == RunOutcome::Cancelled;
  if (told_to_stop) stop.reset();
  const auto exit_code = exit_code_of(plan, run_id, job);
  RunEnd end;
  end.exit_code = exit_code.value_or(job.status.signal == 0 ? 0 : 128 + job.status.signal);
  if (stop && stop->outcome == RunOutcome::Completed) return end;
  end.outcome = stop && !job.cancelled ? stop->outcome : outcome_without_record(job, exit_code);
  if (stop) end.reason = stop->reason;
  if (end.outcome == RunOutcome::Cancelled) {
    end.reason = job.started ? "cancelled on request" : "cancelled before it started";
  }
  std::vector<fs::path> said{plan.job_err(job.name)};
  if (launched) {
    const fs::path own = run.launch(results.launches).err();
    said.insert(told_to_stop ? said.end() : said.begin(), own);
  }
  if (exit_code != 0) explain(said, end);
  if (end.reason.empty()) end.reason = reason_without_record(job, exit_code);
  return end;
}

}  // namespace dlscale::runner
