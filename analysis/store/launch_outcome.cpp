// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/launch_outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/frame.hpp"

namespace dlscale::analysis {
namespace {

/// Returns a text such as "accuracy >= 0.94" for a target that ends the run when reached. Returns
/// an empty text for a run that continues after it has reached its target.
std::string target_words(const contract::TargetSpec& target) {
  if (!target.stop) return "";
  std::string words;
  const auto add = [&](const char* condition, double threshold) {
    if (threshold == 0) return;
    words += fmt::format("{}{} {}", words.empty() ? "" : " and ", condition, threshold);
  };
  add("accuracy >=", target.accuracy);
  add("loss <=", target.loss);
  add("bleu >=", target.bleu);
  add("train_loss <=", target.train_loss);
  return words;
}

}  // namespace

std::string stop_rule(const contract::RunSpec& run) {
  if (!run.trainer.command.empty()) {
    const auto said = run.point.find("stop_rule");
    return said == run.point.end() ? "" : said->second;
  }
  if (!run.mode.empty()) return run.mode;
  const std::string target = target_words(run.target);
  const std::string length = run.steps > 0 ? "steps" : "epochs";
  std::string rule = target.empty() ? length : target + " or " + length;
  if (run.plateau_epochs > 0) rule += fmt::format(" or {} without learning", run.plateau_epochs);
  return rule;
}

namespace {

using contract::RunOutcome;
using Scope = EndRecord::Scope;

RunOutcome outcome_of(const contract::LaunchRecord& record) {
  return record.outcome.value_or(contract::outcome_of_exit(record.exit_code));
}

/// Returns the latest time in seconds at which the process can have ended. A shell script records
/// whole seconds, rounded down, so the process may have ended up to one second after the recorded
/// time.
double latest_time(const contract::LaunchRecord& record) {
  return record.time == std::floor(record.time) ? record.time + 1 : record.time;
}

void sort_by_time(std::vector<EndRecord>& ends) {
  std::stable_sort(ends.begin(), ends.end(), [](const EndRecord& a, const EndRecord& b) {
    return latest_time(a.record) < latest_time(b.record);
  });
}

/// Returns the last record with this scope, or null if there is none.
const EndRecord* last_of(const std::vector<EndRecord>& ends, Scope scope) {
  const auto found = std::find_if(ends.rbegin(), ends.rend(),
                                  [&](const EndRecord& end) { return end.scope == scope; });
  return found == ends.rend() ? nullptr : &*found;
}

LaunchEnd said_by(const EndRecord& end) {
  return {contract::to_string(outcome_of(end.record)), end.source, end.record.reason};
}

/// Returns the end of a run for which only the end of its job is recorded. If the job completed,
/// the run is Lost, because the run left no record of its own end. Otherwise the run has the same
/// outcome as its job.
LaunchEnd said_by_job(const EndRecord& end) {
  if (outcome_of(end.record) != RunOutcome::Completed) return said_by(end);
  return {contract::to_string(RunOutcome::Lost), end.source,
          "the job ended, but the run recorded no end"};
}

/// Returns the end of a launch from the job script's record if that record is more informative than
/// the record of the ranks. This is the case if the ranks only recorded that a signal stopped them,
/// and the job script recorded a reason or an exit code that explains the signal. Returns an empty
/// value otherwise.
std::optional<LaunchEnd> stopped(const LaunchSeen& launch, const EndRecord& script) {
  if (launch.run_stop != RunOutcome::Cancelled) return std::nullopt;
  const contract::LaunchRecord& noted = script.record;
  const RunOutcome outcome = contract::outcome_of_stopped(noted.outcome, noted.exit_code);
  if (noted.reason.empty() && outcome == RunOutcome::Cancelled) return std::nullopt;
  const std::string reason = !noted.reason.empty()
                                 ? noted.reason
                                 : fmt::format("a rank died: exit code {}", noted.exit_code);
  return LaunchEnd{contract::to_string(outcome), script.source, reason};
}

LaunchEnd decide(const LaunchSeen& launch, const std::vector<EndRecord>& ends) {
  if (const EndRecord* end = last_of(ends, Scope::Run)) return said_by(*end);
  const EndRecord* script = last_of(ends, Scope::Script);
  if (script != nullptr) {
    if (auto end = stopped(launch, *script)) return *end;
  }
  if (launch.run_stop) {
    return {contract::to_string(*launch.run_stop), launch.source, launch.reason};
  }
  if (script != nullptr) return said_by(*script);
  if (const EndRecord* end = last_of(ends, Scope::Job)) return said_by_job(*end);
  return {kUnfinished, "", ""};
}

/// Returns the latest time at which each launch can have ended. This is the start of the next
/// launch that recorded its start.
std::vector<double> latest_ends_of(const std::vector<LaunchSeen>& launches) {
  std::vector<double> latest(launches.size());
  double until = std::numeric_limits<double>::infinity();
  for (std::size_t i = launches.size(); i-- > 0;) {
    latest[i] = until;
    if (std::isfinite(launches[i].started)) until = launches[i].started;
  }
  return latest;
}

/// Returns the index of the launch whose end `end` records. `latest` contains the latest time at
/// which each launch can have ended. Returns an empty value if the record is older than the
/// launch, or if there is no launch.
std::optional<std::size_t> launch_of(const EndRecord& end, const std::vector<LaunchSeen>& launches,
                                     const std::vector<double>& latest) {
  if (launches.empty()) return std::nullopt;
  const double time = latest_time(end.record);
  std::size_t i = 0;
  // The last launch has no latest time, so the search ends there if no earlier launch fits.
  while (i + 1 < launches.size() && (launches[i].launch < end.first_launch || time >= latest[i])) {
    ++i;
  }
  if (time < launches[i].started) return std::nullopt;
  return i;
}

}  // namespace

std::vector<LaunchEnd> decide_ends(const std::vector<LaunchSeen>& launches,
                                   std::vector<EndRecord> ends) {
  sort_by_time(ends);
  const std::vector<double> latest = latest_ends_of(launches);
  std::vector<std::vector<EndRecord>> own(launches.size());
  for (EndRecord& end : ends) {
    if (const auto i = launch_of(end, launches, latest)) own[*i].push_back(std::move(end));
  }
  std::vector<LaunchEnd> result;
  for (std::size_t i = 0; i < launches.size(); ++i) result.push_back(decide(launches[i], own[i]));
  return result;
}

LaunchEnd decide_without_launch(std::vector<EndRecord> ends) {
  sort_by_time(ends);
  for (const Scope scope : {Scope::Run, Scope::Script, Scope::Job}) {
    if (const EndRecord* end = last_of(ends, scope)) {
      return scope == Scope::Job ? said_by_job(*end) : said_by(*end);
    }
  }
  return {kNotStarted, "", ""};
}

}  // namespace dlscale::analysis
