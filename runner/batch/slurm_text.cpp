// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/slurm_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "runner/batch/scheduler_error.hpp"

namespace dlscale::runner::slurm {

const char* const kQueueFormat =
    "JobArrayID:|,State:|,exit_code:|,DerivedEC:|,Reason:|,StartTime:|,EndTime:|,NodeList:|,"
    "ArrayJobID:|,ArrayTaskID:|,Comment:|";
const char* const kBookFormat = "JobID,State,ExitCode,DerivedExitCode,Start,End,NodeList";
const char* const kUsageFormat = "JobID,ElapsedRaw,TotalCPU,MaxRSS,NTasks,NNodes";
const char* const kCommentFormat = "JobID,State,NodeList,Comment";

namespace {

/// Text that sacct prints in the list of nodes if a job has no nodes.
constexpr std::string_view kNoNodes = "None assigned";
/// Number that SLURM reports instead of a signal if a job ran out of memory.
constexpr int kOutOfMemory = 125;

struct SlurmStateRow {
  std::string_view word;
  JobState state;
};

/// States and state flags of jobs in slurm.h of versions 20.02 to 25.05.
constexpr std::array kSlurmStates{
    SlurmStateRow{"PENDING", JobState::Queued},
    SlurmStateRow{"CONFIGURING", JobState::Queued},  // the nodes of the job are being started
    SlurmStateRow{"POWER_UP_NODE", JobState::Queued},
    SlurmStateRow{"EXPEDITING", JobState::Queued},
    SlurmStateRow{"REQUEUED", JobState::Queued},
    SlurmStateRow{"REQUEUE_FED", JobState::Queued},
    SlurmStateRow{"REQUEUE_HOLD", JobState::Queued},
    SlurmStateRow{"RESV_DEL_HOLD", JobState::Queued},
    SlurmStateRow{"SPECIAL_EXIT", JobState::Queued},  // the job was requeued and held
    SlurmStateRow{"RUNNING", JobState::Running},
    SlurmStateRow{"COMPLETING", JobState::Running},  // the outcome is unknown until the end
    SlurmStateRow{"STAGE_OUT", JobState::Running},
    SlurmStateRow{"SIGNALING", JobState::Running},
    SlurmStateRow{"RESIZING", JobState::Running},
    SlurmStateRow{"STOPPED", JobState::Running},
    SlurmStateRow{"SUSPENDED", JobState::Running},
    SlurmStateRow{"UPDATE_DB", JobState::Running},
    SlurmStateRow{"COMPLETED", JobState::Done},
    SlurmStateRow{"FAILED", JobState::Failed},
    SlurmStateRow{"LAUNCH_FAILED", JobState::NodeFailed},
    SlurmStateRow{"RECONFIG_FAIL", JobState::NodeFailed},
    SlurmStateRow{"BOOT_FAIL", JobState::NodeFailed},
    SlurmStateRow{"NODE_FAIL", JobState::NodeFailed},
    SlurmStateRow{"OUT_OF_MEMORY", JobState::OutOfMemory},
    SlurmStateRow{"TIMEOUT", JobState::TimedOut},
    SlurmStateRow{"DEADLINE", JobState::TimedOut},
    SlurmStateRow{"PREEMPTED", JobState::Preempted},
    SlurmStateRow{"CANCELLED", JobState::Cancelled},
    // Another cluster of the federation runs the job.
    SlurmStateRow{"REVOKED", JobState::Cancelled},
};

/// Returns the fields of each line that has at least `count` fields.
std::vector<std::vector<std::string_view>> table(std::string_view text, std::size_t count) {
  std::vector<std::vector<std::string_view>> rows;
  for (const std::string_view line : base::lines_of(text)) {
    std::vector<std::string_view> fields = base::split(line, '|');
    if (fields.size() >= count) rows.push_back(std::move(fields));
  }
  return rows;
}

/// Returns the number at the start of the text. Returns 0 for N/A, Unknown and empty text.
double number(std::string_view text) {
  return base::leading_number<double>(text);
}

int whole_number(std::string_view text) {
  return static_cast<int>(number(text));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_id(std::string_view text) {
  const std::vector<std::string_view> parts = base::split(text, '_');
  return parts.size() <= 2 && std::all_of(parts.begin(), parts.end(), is_number);
}

/// Converts [days-][hours:]minutes:seconds[.fraction] to seconds.
double cpu_seconds(std::string_view text) {
  double total = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    total = number(text.substr(0, dash)) * 24;
    text.remove_prefix(dash + 1);
    if (std::count(text.begin(), text.end(), ':') < 2) total *= 60;
  }
  double clock = 0;
  for (const std::string_view part : base::split(text, ':')) clock = clock * 60 + number(part);
  return total * 3600 + clock;
}

/// Sets the exit code and the signal of an ended job. An exit code of 0 is stored only for
/// completed jobs, because SLURM also reports 0 for jobs that it ended.
void note_end(JobStatus& status, int exit_code, int signal) {
  const bool out_of_memory = signal == kOutOfMemory;
  if (out_of_memory && status.state == JobState::Failed) status.state = JobState::OutOfMemory;
  if (out_of_memory) return;
  status.signal = signal;
  if (signal == 0 && (exit_code != 0 || status.state == JobState::Done)) {
    status.exit_code = exit_code;
  }
}

/// Sets the start and end times of a job. A job without nodes has not started, and SLURM reports
/// only an estimated start time for such a job.
void note_times(JobStatus& status, std::string_view start, std::string_view end) {
  if (status.state == JobState::Queued) return;
  if (!status.nodes.empty()) status.started_at = number(start);
  if (has_ended(status.state)) status.ended_at = number(end);
}

JobStatus queued_status(const std::vector<std::string_view>& fields) {
  JobStatus status;
  status.state = state_of(fields[1]);
  const std::string_view reason = fields[4];
  if (has_ended(status.state)) {
    const int raw = whole_number(fields[2]);
    const bool step_ran_out = (whole_number(fields[3]) & 127) == kOutOfMemory;
    const bool ran_out = reason == "OutOfMemory" || step_ran_out;
    if (ran_out && status.state == JobState::Failed) status.state = JobState::OutOfMemory;
    note_end(status, raw >> 8, raw & 127);
  }
  const bool stale = status.state == JobState::Done || status.state == JobState::Cancelled ||
                     reason == "NonZeroExitCode" || status.signal != 0;
  if (reason != "None" && !stale) status.reason = reason;
  const bool plain = fields[1] == "PENDING" || fields[1] == "RUNNING" || has_ended(status.state);
  if (!plain && status.reason.empty()) status.reason = fields[1];
  status.nodes = hosts_in(fields[7]);
  note_times(status, fields[5], fields[6]);
  return status;
}

/// Sets the exit code and the signal of an ended job. `own` is the field "code:signal" of the job,
/// and `of_steps` is the highest such field of its steps.
void note_codes(JobStatus& status, std::string_view own, std::string_view of_steps) {
  const std::vector<std::string_view> codes = base::split(own, ':');
  const std::vector<std::string_view> derived = base::split(of_steps, ':');
  const bool step_ran_out = derived.size() == 2 && whole_number(derived[1]) == kOutOfMemory;
  if (step_ran_out && status.state == JobState::Failed) status.state = JobState::OutOfMemory;
  if (codes.size() == 2) note_end(status, whole_number(codes[0]), whole_number(codes[1]));
}

/// Expands the first pair of brackets of a host list, then all further pairs.
void expand_host(std::string_view pattern, std::vector<std::string>& hosts) {
  const std::size_t open = pattern.find('['), close = pattern.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    if (!pattern.empty()) hosts.emplace_back(pattern);
    return;
  }
  for (const std::string_view range :
       base::split(pattern.substr(open + 1, close - open - 1), ',')) {
    const std::size_t dash = range.find('-');
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
    for (int i = whole_number(first); i <= whole_number(last); ++i) {
      expand_host(fmt::format("{}{:0{}}{}", pattern.substr(0, open), i, first.size(),
                              pattern.substr(close + 1)),
                  hosts);
    }
  }
}

constexpr std::array<std::string_view, 15> kUnreachable{
    "Unable to contact",
    "Unable to establish configuration source",
    "resolve_ctls_from_dns_srv",
    "Unable to establish controller machine",
    "Unexpected message received",
    "Socket timed out on send/recv operation",
    "Communication connection failure",
    "Communication shutdown failure",
    "essage send failure",
    "essage receive failure",
    "Zero Bytes were transmitted or received",
    "backup controller in standby mode",
    "Slurm temporarily unable to accept job",
    "Protocol authentication error",
    "Connection refused",
};

/// Message that SLURM prints for a job that exceeds a limit, and beginnings of lines that name the
/// limit.
constexpr std::string_view kAgainstLimit = "job submit limit, user's size and/or time limits";
constexpr std::array<std::string_view, 3> kLimits{"error: QOS", "error: Assoc", "error: Part"};
constexpr std::string_view kLimitOnNumber = "SubmitJob";  // example: QOSMaxSubmitJobPerUserLimit

constexpr std::array<std::string_view, 6> kNoObjection{
    "Invalid job id specified",    "already finished",     "already completing or completed",
    "no longer pending execution", "is pending execution", "Job/step already",
};

template <std::size_t size>
bool has_one_of(std::string_view text, const std::array<std::string_view, size>& phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
    return text.find(phrase) != std::string_view::npos;
  });
}

}  // namespace

bool was_refused(JobState state, bool has_no_nodes) {
  return state == JobState::Failed && has_no_nodes;
}

JobState state_of(std::string_view word) {
  word = word.substr(0, word.find_first_of(" +"));
  for (const SlurmStateRow& row : kSlurmStates) {
    if (row.word == word) return row.state;
  }
  return JobState::Running;
}

std::vector<QueuedJob> parse_queue(std::string_view text) {
  std::vector<QueuedJob> jobs;
  for (const auto& fields : table(text, 11)) {
    const char* const comment_end = fields.back().data() + fields.back().size();
    jobs.push_back({std::string(fields[0]), std::string(fields[8]), is_number(fields[9]),
                    std::string(fields[10].data(), comment_end), queued_status(fields)});
  }
  return jobs;
}

std::map<JobId, JobStatus> parse_books(std::string_view text) {
  std::map<JobId, JobStatus> jobs;
  for (const auto& fields : table(text, 7)) {
    if (!is_id(fields[0])) continue;
    JobStatus status;
    status.state = state_of(fields[1]);
    if (has_ended(status.state)) note_codes(status, fields[2], fields[3]);
    if (fields[1].starts_with("CANCELLED by")) status.reason = fmt::format("{}", fields[1]);
    if (fields[6] != kNoNodes) status.nodes = hosts_in(fields[6]);
    note_times(status, fields[4], fields[5]);
    jobs.insert_or_assign(JobId(fields[0]), status);
  }
  return jobs;
}

std::map<JobId, JobUsage> parse_usage(std::string_view text) {
  std::map<JobId, JobUsage> jobs;
  for (const auto& fields : table(text, 6)) {
    const std::string_view id = fields[0].substr(0, fields[0].find('.'));
    if (!is_id(id)) continue;
    JobUsage& usage = jobs[JobId(id)];
    if (id == fields[0]) {
      usage.elapsed_s = number(fields[1]);
      usage.cpu_s = cpu_seconds(fields[2]);
    } else if (!fields[3].empty()) {
      const double tasks = std::max(1.0, number(fields[4])),
                   nodes = std::max(1.0, number(fields[5]));
      const auto bytes = static_cast<std::int64_t>(number(fields[3]) * std::ceil(tasks / nodes));
      usage.peak_memory_bytes = std::max(usage.peak_memory_bytes.value_or(0), bytes);
    }
  }
  return jobs;
}

JobId find_comment(std::string_view text, std::string_view word) {
  for (const auto& fields : table(text, 4)) {
    if (fields[3].find(word) == std::string_view::npos) continue;
    if (was_refused(state_of(fields[1]), fields[2] == kNoNodes)) continue;
    return JobId(fields[0].substr(0, fields[0].find('_')));
  }
  return "";
}

JobId submitted_id(std::string_view text) {
  for (const std::string_view line : base::lines_of(text)) {
    const std::string_view id = line.substr(0, line.find(';'));
    if (is_number(id)) return JobId(id);
  }
  return "";
}

std::vector<JobId> whole_jobs(const std::vector<JobId>& ids) {
  std::vector<JobId> jobs;
  for (const JobId& id : ids) jobs.push_back(id.substr(0, id.find('_')));
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  return jobs;
}

std::string array_option(std::vector<int> tasks, int throttle) {
  std::sort(tasks.begin(), tasks.end());
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < tasks.size();) {
    std::size_t last = i;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    ranges.push_back(i == last ? std::to_string(tasks[i])
                               : fmt::format("{}-{}", tasks[i], tasks[last]));
    i = last + 1;
  }
  const std::string limit = throttle > 0 ? fmt::format("%{}", throttle) : "";
  return fmt::format("--array={}{}", fmt::join(ranges, ","), limit);
}

std::string dependency_option(std::string_view script, const std::vector<JobId>& after) {
  constexpr std::string_view kDirective = "#SBATCH --dependency=";
  std::vector<std::string> all;
  for (const std::string_view line : base::lines_of(script)) {
    if (line.starts_with(kDirective)) all = {std::string(line.substr(kDirective.size()))};
  }
  all.push_back(fmt::format("afterany:{}", fmt::join(after, ":")));
  return fmt::format("--dependency={}", fmt::join(all, ","));
}

std::vector<std::string> hosts_in(std::string_view list) {
  std::vector<std::string> hosts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const bool at_end = i == list.size();
    const char letter = at_end ? ',' : list[i];
    depth += (letter == '[') - (letter == ']');
    if (!at_end && (letter != ',' || depth > 0)) continue;
    expand_host(list.substr(start, i - start), hosts);
    start = i + 1;
  }
  return hosts;
}

bool says_unreachable(std::string_view complaint) {
  return has_one_of(complaint, kUnreachable);
}

bool says_too_many(std::string_view complaint) {
  if (complaint.find(kAgainstLimit) == std::string_view::npos) return false;
  return complaint.find(kLimitOnNumber) != std::string_view::npos ||
         !has_one_of(complaint, kLimits);
}

std::string first_objection(std::string_view complaint) {
  std::string objections;
  for (const std::string_view line : base::lines_of(complaint)) {
    if (!has_one_of(line, kNoObjection)) objections.append(line).append("\n");
  }
  return scheduler_error(objections);
}

}  // namespace dlscale::runner::slurm
