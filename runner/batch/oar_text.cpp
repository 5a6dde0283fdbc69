// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/oar_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "contract/json/document.hpp"
#include "runner/batch/scheduler_error.hpp"

namespace dlscale::runner::oar {
namespace {

using contract::codec::text_in;
using contract::codec::Value;

constexpr std::size_t kLongestName = 100;

struct OarStateRow {
  std::string_view word;
  JobState state;
};

/// States of jobs in OAR, except for the two states in which jobs end.
constexpr std::array kOarStates{
    OarStateRow{"Waiting", JobState::Queued},    OarStateRow{"Hold", JobState::Queued},
    OarStateRow{"toLaunch", JobState::Queued},   OarStateRow{"toAckReservation", JobState::Queued},
    OarStateRow{"Launching", JobState::Queued},  OarStateRow{"Running", JobState::Running},
    OarStateRow{"Suspended", JobState::Running}, OarStateRow{"Resuming", JobState::Running},
    OarStateRow{"Finishing", JobState::Running}, OarStateRow{"toError", JobState::Running},
};

/// Types of OAR's events that mean that a node of the job has a problem.
constexpr std::array<std::string_view, 17> kNodeEvents{
    "PING_CHECKER_NODE_SUSPECTED",
    "PING_CHECKER_NODE_SUSPECTED_END_JOB",
    "CPUSET_ERROR",
    "CPUSET_CLEAN_ERROR",
    "SUSPEND_ERROR",
    "RESUME_ERROR",
    "PROLOGUE_ERROR",
    "EPILOGUE_ERROR",
    "CANNOT_WRITE_NODE_FILE",
    "CANNOT_WRITE_PID_FILE",
    "USER_SHELL",
    "EXTERMINATE_JOB",
    "CANNOT_CREATE_TMP_DIRECTORY",
    "SSH_TRANSFER_TIMEOUT",
    "BAD_HASHTABLE_DUMP",
    "LAUNCHING_OAREXEC_TIMEOUT",
    "EXIT_VALUE_OAREXEC",
};

constexpr std::array<std::string_view, 6> kNoOarObjection{
    "You are not the right user",  // OAR also prints this for unknown jobs
    "This job is not running",    "This job was already killed",        "this job does not exist",
    "not in the right state",     "not in the Hold or Suspended state",
};

double number_in(Value object, const char* key) {
  return base::leading_number<double>(text_in(object, key));
}

/// Reason why OAR ended a job before the job's script ended.
struct Cause {
  JobState state = JobState::Failed;
  std::string reason;
};

Cause cause_of(Value job) {
  std::optional<std::string> walltime, node, deleted, besteffort, last;
  simdjson::dom::array events;
  if (job["events"].get(events) != simdjson::SUCCESS) {
    return {JobState::Failed, text_in(job, "message")};
  }
  for (const Value event : events) {
    const std::string type = text_in(event, "type");
    const bool of_node =
        std::find(kNodeEvents.begin(), kNodeEvents.end(), type) != kNodeEvents.end();
    auto& kind = type == "WALLTIME"           ? walltime
                 : type == "BESTEFFORT_KILL"  ? besteffort
                 : type == "FRAG_JOB_REQUEST" ? deleted
                 : of_node                    ? node
                                              : last;
    kind = fmt::format("{}: {}", type, text_in(event, "description"));
  }
  if (besteffort) return {JobState::Preempted, *besteffort};
  if (walltime && node) return {JobState::NodeFailed, *node};
  if (walltime) return {JobState::TimedOut, *walltime};
  if (deleted) return {JobState::Cancelled, *deleted};
  if (node) return {JobState::NodeFailed, *node};
  return {JobState::Failed, last.value_or(text_in(job, "message"))};
}

JobStatus ended_status(Value job) {
  JobStatus status;
  const std::string raw_text = text_in(job, "exit_code");
  const int raw = static_cast<int>(number_in(job, "exit_code"));
  if (raw_text.empty() || text_in(job, "state") == "Error") {
    const Cause cause = cause_of(job);
    status.state = cause.state;
    status.reason = cause.reason;
  } else {
    status.state = raw == 0 ? JobState::Done : JobState::Failed;
  }
  if (!raw_text.empty() && WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
  if (!raw_text.empty() && WIFEXITED(raw)) status.exit_code = WEXITSTATUS(raw);
  status.ended_at = number_in(job, "stopTime");
  return status;
}

JobStatus status_of(Value job) {
  const std::string state = text_in(job, "state");
  JobStatus status;
  if (state == "Terminated" || state == "Error") {
    status = ended_status(job);
  } else {
    status.state = waiting_or_running(state);
    const std::string message = text_in(job, "message");
    if (state == "Waiting" && !message.starts_with("R=")) status.reason = message;
    if (state != "Waiting" && state != "Running") status.reason = state;
  }
  if (status.state != JobState::Queued) status.started_at = number_in(job, "startTime");
  simdjson::dom::array nodes;
  if (job["assigned_network_address"].get(nodes) == simdjson::SUCCESS) {
    for (const Value node : nodes) {
      std::string_view name;
      if (node.get(name) == simdjson::SUCCESS) status.nodes.emplace_back(name);
    }
  }
  return status;
}

long long value_of(std::string_view id) {
  return base::leading_number<long long>(id);
}

}  // namespace

JobState waiting_or_running(std::string_view state) {
  for (const OarStateRow& row : kOarStates) {
    if (row.word == state) return row.state;
  }
  return JobState::Running;
}

std::vector<ListedJob> parse_jobs(std::string_view text) {
  if (text.find_first_not_of(" \n") == std::string_view::npos) return {};  // empty list of jobs
  simdjson::dom::parser parser;
  simdjson::dom::object document;
  if (parser.parse(text.data(), text.size()).get(document) != simdjson::SUCCESS) {
    throw SchedulerUnreachable(
        "oarstat -J printed no JSON; install Perl's JSON module, which OAR needs for -J");
  }
  std::vector<ListedJob> jobs;
  for (const auto& [id, job] : document) {
    ListedJob listed{std::string(id), text_in(job, "name"),
                     static_cast<int>(number_in(job, "array_index")), "", status_of(job)};
    const std::string repeats = text_in(job, "resubmit_job_id");
    if (repeats != "0") listed.repeats = repeats;
    jobs.push_back(std::move(listed));
  }
  return jobs;
}

std::vector<JobId> submitted_ids(std::string_view text) {
  constexpr std::string_view kMark = "OAR_JOB_ID=";
  std::vector<JobId> ids;
  for (const std::string_view line : base::lines_of(text)) {
    if (!line.starts_with(kMark)) continue;
    const std::string_view id = line.substr(kMark.size());
    if (value_of(id) > 0) ids.emplace_back(id);  // the id of a rejected job is -5 or missing
  }
  return ids;
}

std::string refusal_in(std::string_view complaint) {
  // oarsub prints this line after every rejection, whatever the reason.
  constexpr std::string_view kAlways = "[ERROR] Oarsub failed";
  std::string reasons, general;
  for (const std::string_view line : base::lines_of(complaint)) {
    if (line.starts_with("/!\\ Ignore")) continue;
    (line.starts_with(kAlways) ? general : reasons).append(line).append("\n");
  }
  std::string reason = scheduler_error(reasons);
  if (reason.empty()) reason = scheduler_error(general);
  return reason.empty() ? "OAR gave no reason" : reason;
}

std::string job_name(std::string_view name, std::string_view word) {
  std::string text(name.substr(0, kLongestName - word.size() - 1));
  for (char& letter : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) ||
                       std::string_view("._-+=@,:").find(letter) != std::string_view::npos;
    if (!plain) letter = '-';
  }
  return fmt::format("{}.{}", text, word);
}

std::string directive(std::string_view script, std::string_view option) {
  const std::string start = fmt::format("#OAR {} ", option);
  std::string value;
  for (const std::string_view line : base::lines_of(script)) {
    if (line.starts_with(start)) value = line.substr(start.size());
  }
  return value.substr(0, value.find_last_not_of(" \r\t") + 1);
}

std::string properties(std::string_view script, const std::vector<std::string>& avoid) {
  const std::string own = directive(script, "-p");
  const std::string others = fmt::format("network_address NOT IN ('{}')", fmt::join(avoid, "','"));
  return own.empty() ? others : fmt::format("({}) AND {}", own, others);
}

std::string chosen_parameters(std::string_view all, const std::vector<int>& tasks) {
  const std::vector<std::string_view> lines = base::lines_of(all);
  std::string chosen;
  for (const int task : tasks) {
    const auto number = static_cast<std::size_t>(task);
    if (number >= lines.size()) {
      throw base::RunError(
          fmt::format("the array has {} tasks and no task with the number {}", lines.size(), task));
    }
    chosen += lines[number];
    chosen += '\n';
  }
  return chosen;
}

JobId joined(const std::vector<JobId>& ids) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    while (last + 1 < ids.size() && value_of(ids[last + 1]) == value_of(ids[last]) + 1) ++last;
    ranges.push_back(i == last ? ids[i] : fmt::format("{}-{}", ids[i], ids[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

std::vector<JobId> single_jobs(const std::vector<JobId>& ids) {
  std::vector<JobId> jobs;
  for (const std::string_view id : ids) {
    for (const std::string_view range : base::split(id, ',')) {
      const std::size_t dash = range.find('-');
      const long long first = value_of(range);
      const long long last =
          dash == std::string_view::npos ? first : value_of(range.substr(dash + 1));
      for (long long job = first; job <= last; ++job) jobs.push_back(std::to_string(job));
    }
  }
  return jobs;
}

std::string first_objection(std::string_view complaint) {
  std::string objections;
  for (const std::string_view line : base::lines_of(complaint)) {
    const bool harmless = std::any_of(
        kNoOarObjection.begin(), kNoOarObjection.end(),
        [&](std::string_view phrase) { return line.find(phrase) != std::string_view::npos; });
    if (!harmless) objections.append(line).append("\n");
  }
  return scheduler_error(objections);
}

}  // namespace dlscale::runner::oar
