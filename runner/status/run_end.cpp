// SPDX-License-Identifier: Apache-2.0
#include "runner/status/run_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/launch_record.hpp"
#include "contract/records/software_record.hpp"
#include "runner/status/failure_words.hpp"
#include "runner/status/run_results.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
using contract::RunOutcome;
namespace {

// Number of bytes that are searched at the end of a file. The messages of hundreds of ranks fit
// into this size.
constexpr std::size_t kWords_bytes = 256 * 1024;

/// Evidence of how a run ended.
struct Evidence {
  const JobEnd& job;
  bool external = false;
  bool launched = false;                  ///< true: the run started, so it has a launch folder
  std::optional<contract::RunStop> stop;  ///< final record that the run wrote in its last launch
  std::optional<contract::LaunchRecord> note;
  std::optional<int> exit_code;   ///< exit code of the run
  std::int64_t stderr_bytes = 0;  ///< size of the run's error file before this launch
  std::string software;           ///< name of the description of the software; empty: unknown
};

Evidence gather(const contract::PlanDir& plan, const contract::PlannedRun& run, const JobEnd& job,
                const RunResults& results) {
  Evidence seen{job, is_external(run, plan)};
  seen.launched = results.launches > job.earlier_launches;
  if (seen.launched) seen.stop = results.stop;
  RunNotes notes = read_run_notes(plan, run.run_id, job.launch);
  seen.note = std::move(notes.end);
  seen.stderr_bytes = notes.stderr_bytes;
  seen.software = std::move(notes.software);
  if (seen.note) {
    seen.exit_code = seen.note->exit_code;
  } else if (!job.shared || job.status.exit_code != 0) {
    seen.exit_code = job.status.exit_code;
  }
  return seen;
}

/// Returns whether the run was stopped from outside. Its processes only received a stop signal, so
/// the run itself cannot know why it ended.
bool was_told_to_stop(const Evidence& seen) {
  const bool by_script = seen.note && !seen.note->reason.empty();
  const bool by_run = seen.stop && seen.stop->outcome == RunOutcome::Cancelled;
  const bool unknown = !seen.note && (!seen.stop || by_run);
  return by_script || unknown;
}

/// Returns the outcome in the run's own final record, if this outcome needs no confirmation.
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

/// Returns whether the run ended with exit code 99 to be started again. Another program than
/// dlscale-train requests this only after SIGUSR1. A job script whose runs made no such request
/// does not exit with 99, so the exit code of a job without a record counts.
bool must_run_again(const Evidence& seen) {
  if (seen.exit_code != contract::kExitRunAgain) return false;
  return !seen.external || !seen.note || seen.note->reason == "got SIGUSR1";
}

RunOutcome outcome_of(const Evidence& seen) {
  if (const auto outcome = told_by_run(seen)) return *outcome;
  if (seen.external && seen.exit_code == 0) return RunOutcome::Completed;
  if (must_run_again(seen)) return RunOutcome::Preempted;
  const JobState state = seen.job.status.state;
  // One run of a shared job may have failed on its own before all runs of the job were stopped.
  if (was_told_to_stop(seen) || !seen.job.shared) {
    if (seen.job.cancelled && (was_told_to_stop(seen) || !seen.note)) return RunOutcome::Cancelled;
    const auto verdict = state == JobState::Lost ? std::nullopt : runner::outcome_of(state);
    if (verdict) return *verdict;
  }
  if (seen.note && seen.note->outcome) return *seen.note->outcome;
  const bool told = seen.stop && seen.stop->outcome == RunOutcome::Cancelled;
  if (seen.stop && !told) return seen.stop->outcome;
  if (state == JobState::Lost && !seen.note) return RunOutcome::Lost;
  const bool is_of_trainer = !seen.external && seen.job.status.signal == 0 && seen.exit_code != 0;
  return is_of_trainer ? contract::outcome_of_exit(seen.exit_code.value_or(1)) : RunOutcome::Failed;
}

std::string reason_without_words(const Evidence& seen) {
  const bool ended_by_itself = seen.note && seen.note->reason.empty() && seen.exit_code != 0;
  if (ended_by_itself) return fmt::format("exit code {}", *seen.exit_code);
  if (!seen.job.status.reason.empty()) return seen.job.status.reason;
  if (seen.note && !seen.note->reason.empty()) return seen.note->reason;
  if (seen.exit_code == 0) return "the job exited with code 0, but the run wrote no final record";
  if (seen.exit_code) return fmt::format("exit code {}", *seen.exit_code);
  return "the end of the run was not recorded";
}

std::string reason_of_cancellation(const JobEnd& job) {
  if (job.cancelled) return job.started ? "cancelled on request" : "cancelled before it started";
  if (!job.status.reason.empty()) return job.status.reason;
  if (job.status.state == JobState::Cancelled) return "cancelled, but not by dlscale";
  return "";
}

/// File in which the program, its launcher or the batch system may have written the reason.
struct WordsFile {
  fs::path path;
  std::int64_t from = 0;    ///< number of bytes that were in the file before the last launch
  bool is_results = false;  ///< true: the file also contains the program's ordinary output
};

/// Returns the end of the text that the last launch wrote to the file.
std::string tail_of(const WordsFile& file) {
  std::error_code missing;
  const auto size = static_cast<std::int64_t>(fs::file_size(file.path, missing));
  if (missing || size <= file.from) return "";
  return base::read_end(file.path,
                        std::min(kWords_bytes, static_cast<std::size_t>(size - file.from)));
}

/// Sets the outcome and the reason from the file with the most certain message, and returns the
/// certainty. If several files have equally certain messages, the first file is used. All files are
/// searched. The first file may contain only the report of a rank that lost the connection to
/// another rank, while a later file contains the message that the kernel killed that other rank.
/// Returns nothing if the files do not decide the outcome or the reason.
std::optional<Certainty> explain(const std::vector<WordsFile>& files, RunEnd& end) {
  FailureWords best;
  for (const WordsFile& file : files) {
    FailureWords words = find_failure(tail_of(file));
    if (file.is_results && words.certainty < Certainty::killed) continue;
    if (words.certainty <= best.certainty) continue;
    best = std::move(words);
    end.details = file.path;
  }
  const bool is_open = end.outcome == RunOutcome::Failed || end.outcome == RunOutcome::Lost;
  if (is_open && best.outcome) end.outcome = *best.outcome;
  const bool is_said = !end.reason.empty();
  if (!is_said) end.reason = best.reason;
  return is_open && !is_said ? std::optional(best.certainty) : std::nullopt;
}

/// Adds the last line of the program's own output to the reason of an external run, if no file
/// contains a known error. Programs often state the reason in words that are not a known error
/// message, and launchers only report that a process ended. A line with a word for an error states
/// the reason, wherever the program printed the line. Without such a line, the last line on stderr
/// is likely to state the reason, unless a signal ended the program. On stdout, the last line only
/// shows how far the program came.
void add_own_line(const contract::LaunchDir& launch, Certainty certainty, const Evidence& seen,
                  RunEnd& end) {
  const std::string err = last_own_line(tail_of({launch.err()}));
  const std::string out = last_own_line(tail_of({launch.out()}));
  if (err.empty() && out.empty()) return;
  const bool is_killed = certainty == Certainty::killed;
  const bool is_report =
      is_killed || certainty == Certainty::peer || certainty == Certainty::notice;
  if (!is_report) end.reason = reason_without_words(seen);
  const bool is_on_out = find_failure(out).certainty >= Certainty::words;
  const bool is_on_err =
      !err.empty() && (!is_killed || find_failure(err).certainty >= Certainty::words);
  if (!is_on_err && !is_on_out) {
    end.reason += fmt::format("; last output: {}", out.empty() ? err : out);
    if (!is_report) end.details = launch.out();
  } else {
    end.reason = fmt::format("{}; {}", is_on_out ? out : err, end.reason);
    end.details = is_on_out ? launch.out() : launch.err();
  }
}

/// Adds advice to the reason of an external run whose Python lacks a module. The job may use
/// another Python than the shell of the user, so the advice names the Python of the job.
void add_environment_advice(const contract::PlanDir& plan, const std::string& software,
                            RunEnd& end) {
  if (end.reason.find("No module named ") == end.reason.npos) return;
  std::string python;
  try {
    const fs::path file = software.empty() ? fs::path() : plan.software_record(software);
    if (!file.empty()) {
      python = contract::software_from_json(base::read_file(file), file.string()).python_path;
    }
  } catch (const base::Error&) {  // the advice is useful without the path
  }
  if (!python.empty()) end.reason += fmt::format(" (Python of the job: {})", python);
  end.reason +=
      "; environment_setup under [trainer] prepares the environment of jobs "
      "(docs/your-script.md#environment)";
}

/// Returns the files that may contain the reason, the most informative file first. When one rank
/// dies, mpirun ends all other ranks. The ranks then report that they received a signal, and only
/// mpirun reports the cause.
std::vector<WordsFile> files_with_words(const contract::PlanDir& plan, const std::string& run_id,
                                        const Evidence& seen, int last_launch) {
  std::vector<WordsFile> files{{plan.run_err(run_id), seen.stderr_bytes}};
  if (seen.job.job != run_id) files.push_back({plan.job_err(seen.job.job)});
  if (!seen.launched) return files;
  const bool told = seen.stop && seen.stop->outcome == RunOutcome::Cancelled;
  const contract::LaunchDir own = plan.run(run_id).launch(last_launch);
  files.insert(told ? files.end() : files.begin(), WordsFile{own.err()});
  if (seen.external) files.push_back({own.out(), 0, true});
  return files;
}

}  // namespace

bool is_external(const contract::PlannedRun& run, const contract::PlanDir& plan) {
  std::error_code unreadable;
  if (!run.log_format.empty() || fs::exists(plan.describe_script(), unreadable)) return true;
  // Plans of earlier versions have no script. Their launches show what the program wrote.
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
    end.reason = job.status.reason;  // the batch system knows the cause
  }
  if (seen.exit_code != 0) {
    const auto certainty = explain(files_with_words(plan, run.run_id, seen, results.launches), end);
    const bool is_unexplained =
        certainty && (*certainty <= Certainty::notice || *certainty == Certainty::killed);
    if (is_unexplained && seen.external && seen.launched) {
      add_own_line(plan.run(run.run_id).launch(results.launches), *certainty, seen, end);
    }
    if (seen.external) add_environment_advice(plan, seen.software, end);
  }
  if (end.reason.empty()) end.reason = reason_without_words(seen);
  return end;
}

}  // namespace dlscale::runner
