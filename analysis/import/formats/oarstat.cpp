// SPDX-License-Identifier: Apache-2.0
// Reads the output of OAR's oarstat --full --json (oar-team/oar 2.5; OAR_OARSTAT_OUTPUT_FORMAT=2
// from 2.5.10 on).
// The output is an object with one object for each job. Each job becomes a run. Times are seconds
// since 1970, and 0 means never. exit_code is the value that wait() returned. Without exit_code,
// the state Terminated does not imply success.
// The number of GPUs comes from the request ("/nodes=2/gpu=2"), because the resources that OAR
// lists are cores. A moldable job requests several alternative shapes. The reader uses the shape
// with the number of nodes and the walltime that the job received. OAR does not record training, so
// there are no rates.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "analysis/import/formats/oar_request.hpp"
#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "contract/json/document.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;
using contract::codec::text_in;
using contract::codec::Value;

/// Events with which OAR marks a node of a job as suspected.
constexpr std::array kNodeEvents{"PING_CHECKER_NODE_SUSPECTED",
                                 "PING_CHECKER_NODE_SUSPECTED_END_JOB",
                                 "CPUSET_ERROR",
                                 "CPUSET_CLEAN_ERROR",
                                 "SUSPEND_ERROR",
                                 "RESUME_ERROR",
                                 "PROLOGUE_ERROR",
                                 "EPILOGUE_ERROR",
                                 "EXTERMINATE_JOB",
                                 "SSH_TRANSFER_TIMEOUT",
                                 "LAUNCHING_OAREXEC_TIMEOUT",
                                 "EXIT_VALUE_OAREXEC"};

double number_in(Value job, const char* key) {
  double value = 0;
  return whole_number(text_in(job, key), value) ? value : std::nan("");
}

/// Returns a time such as "2026-01-29T18:02:19Z", or an empty text for 0, which means never.
std::string day_and_time(double seconds) {
  if (!(seconds > 0) || seconds > 1e11) return "";
  namespace ch = std::chrono;
  const ch::sys_seconds time{ch::seconds(static_cast<std::int64_t>(seconds))};
  const auto day = ch::floor<ch::days>(time);
  const ch::year_month_day date{day};
  const ch::hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

bool has_event(Value job, std::string_view type) {
  simdjson::dom::array events;
  if (job["events"].get(events) != simdjson::SUCCESS) return false;
  return std::any_of(events.begin(), events.end(),
                     [&](Value event) { return text_in(event, "type") == type; });
}

std::string node_event(Value job) {
  for (const char* event : kNodeEvents) {
    if (has_event(job, event)) return event;
  }
  return "";
}

struct End {
  RunOutcome outcome = RunOutcome::Failed;
  std::string reason;
};

/// Returns the outcome and the reason of a job that OAR ended, from its events or its message.
End cause_of(Value job) {
  const std::string node = node_event(job);
  if (has_event(job, "BESTEFFORT_KILL")) return {RunOutcome::Preempted, "BESTEFFORT_KILL"};
  if (has_event(job, "WALLTIME")) {
    return node.empty() ? End{RunOutcome::TimedOut, "WALLTIME"} : End{RunOutcome::NodeFailed, node};
  }
  if (has_event(job, "FRAG_JOB_REQUEST")) return {RunOutcome::Cancelled, "FRAG_JOB_REQUEST"};
  if (!node.empty()) return {RunOutcome::NodeFailed, node};
  const std::string message = text_in(job, "message");
  return {RunOutcome::Failed, message.empty() ? "state Error" : message};
}

End end_of(Value job, const AccountedJob& known) {
  if (known.state != "Terminated" && known.state != "Error") {
    return {RunOutcome::Lost,
            "the job had not ended when the accounting data was read; its "
            "state was " +
                known.state};
  }
  if (known.state == "Error" || (!known.exit_code && !known.signal)) return cause_of(job);
  if (known.signal) return {RunOutcome::Failed, fmt::format("signal {}", *known.signal)};
  if (*known.exit_code == 0) return {RunOutcome::Completed, ""};
  return {RunOutcome::Failed, fmt::format("exit code {}", *known.exit_code)};
}

void take_exit(Value job, AccountedJob& known) {
  const double raw = number_in(job, "exit_code");
  if (!(raw >= 0 && raw < 65536)) return;
  const int status = static_cast<int>(raw);
  if ((status & 127) != 0) {
    known.signal = status & 127;
  } else {
    known.exit_code = status >> 8;
  }
}

AccountedJob job_of(const std::string& id, Value job) {
  AccountedJob known{.job_id = id};
  known.name = text_in(job, "name");
  known.partition = text_in(job, "queue");
  known.account = text_in(job, "project");
  known.state = text_in(job, "state");
  take_exit(job, known);
  const double started = number_in(job, "startTime"), ended = number_in(job, "stopTime");
  known.submitted = day_and_time(number_in(job, "submissionTime"));
  known.started = day_and_time(started);
  known.ended = day_and_time(ended);
  if (started > 0 && ended >= started) known.elapsed_s = ended - started;
  if (started <= 0 && ended > 0) known.elapsed_s = 0;  // the job ended without having started
  known.timelimit_s = number_in(job, "walltime");
  simdjson::dom::array hosts, cores;
  if (job["assigned_network_address"].get(hosts) == simdjson::SUCCESS) {
    std::set<std::string> names;
    for (const Value host : hosts) {
      std::string_view name;
      if (host.get(name) == simdjson::SUCCESS) names.emplace(name);
    }
    known.nodes = static_cast<std::int64_t>(names.size());
    for (const std::string& name : names) known.hosts += (known.hosts.empty() ? "" : ",") + name;
  }
  if (job["assigned_resources"].get(cores) == simdjson::SUCCESS) {
    known.cpus = static_cast<std::int64_t>(cores.size());
  }
  return known;
}

void take_job(CollectedLog& log, const std::string& key, std::string_view text) {
  simdjson::dom::parser parser;
  Value job;
  const bool is_json = parser.parse(text.data(), text.size()).get(job) == simdjson::SUCCESS;
  if (!is_json || !job.is_object()) return log.skip("is not a job of oarstat");
  AccountedJob known = job_of(key, job);
  if (known.state.empty()) return log.skip("the job has no state");
  const oar::Request request = oar::parse_request(text_in(job, "wanted_resources"));
  const oar::GpuCount gpus = oar::gpus_of(request, known.nodes.value_or(0), known.timelimit_s);
  known.gpus = gpus.gpus;
  if (!gpus.problem.empty()) log.skip(gpus.problem);
  contract::RunStart& start = log.start();
  if (known.nodes && *known.nodes > 0) start.nodes = static_cast<int>(*known.nodes);
  if (known.gpus) start.world_size = static_cast<int>(*known.gpus);
  log.fact("gpus", known.gpus.value_or(0));
  log.fact("nodes", known.nodes.value_or(0));
  const End end = end_of(job, known);
  log.stop(end.outcome, end.reason, known.elapsed_s);
  log.add(std::move(known));
}

/// Returns the JSON key in front of the object that begins at position `at`.
std::string key_before(std::string_view text, std::size_t at) {
  const std::size_t last = text.substr(0, at).rfind('"');
  const std::size_t first = last == text.npos || last == 0 ? text.npos : text.rfind('"', last - 1);
  return first == text.npos ? "" : std::string(text.substr(first + 1, last - first - 1));
}

std::vector<LogPart> parts(std::string_view text) {
  std::vector<LogPart> found;
  const std::size_t begins = text.find('{');
  if (begins == text.npos) return {};
  std::size_t counted = 0;
  int line = 1;
  each_json_object(text, begins + 1, [&](std::string_view object, std::size_t at) {
    for (; counted < at; ++counted) line += text[counted] == '\n' ? 1 : 0;
    found.push_back({{{"job_id", key_before(text, at)}}, at, object.size(), line});
  });
  return found;
}

bool is_whole(std::string_view text) {
  const std::size_t begins = text.find('{');
  return begins == text.npos || !json_whole(text, begins).empty();
}

LogContent read_part(std::string_view text, const LogPart& part, const contract::RunSpec& run) {
  CollectedLog log(run, "oarstat");
  log.at(part.first_line);
  if (part.offset < text.size()) {
    const std::string key = part.which.contains("job_id") ? part.which.at("job_id") : "";
    take_job(log, key, text.substr(part.offset, part.size));
  }
  if (!is_whole(text)) log.cut_off();
  return log.finish();
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  CollectedLog log(run, "oarstat");
  const std::vector<LogPart> jobs = parts(text);
  for (const LogPart& part : jobs) {
    log.at(part.first_line);
    take_job(log, part.which.at("job_id"), text.substr(part.offset, part.size));
  }
  if (!is_whole(text)) {
    log.cut_off();
  } else if (!jobs.empty()) {
    const std::size_t end = jobs.back().offset + jobs.back().size;
    const auto before = std::count(text.begin(), text.begin() + static_cast<long>(end), '\n');
    take_lines(
        text.substr(end), log, [](const LogLine&) {}, {}, static_cast<int>(before));
  }
  return log.finish();
}

bool recognises(std::string_view head) {
  const std::size_t begins = head.find('{');
  return begins != head.npos &&
         json_value_of(head, "assigned_network_address", begins) != head.npos &&
         json_value_of(head, "submissionTime", begins) != head.npos;
}

}  // namespace

extern const LogFormat oarstat_entry;
const LogFormat oarstat_entry{
    .name = "oarstat",
    .summary = "OAR's accounting: oarstat --full --json",
    .rates =
        "There is no rate, because the accounting data does not contain what jobs computed. "
        "GPU-hours are the elapsed time times the number of GPUs.",
    .cross_check = "nothing is compared, because jobs have no rates",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .parts = &parts,
    .read_part = &read_part,
    .of_model = false,
    .of_training = false,
};

}  // namespace dlscale::analysis
