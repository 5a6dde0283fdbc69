// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/launch_outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <limits>

#include "analysis/frame.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;
using Scope = EndRecord::Scope;

RunOutcome outcome_of(const contract::LaunchRecord& record) {
  return record.outcome.value_or(contract::outcome_of_exit(record.exit_code));
}

/// When it ended. Shell scripts tell whole seconds, cut: it may have been up to a second later.
double latest_time(const contract::LaunchRecord& record) {
  return record.time == std::floor(record.time) ? record.time + 1 : record.time;
}

void sort_by_time(std::vector<EndRecord>& ends) {
  std::stable_sort(ends.begin(), ends.end(), [](const EndRecord& a, const EndRecord& b) {
    return latest_time(a.record) < latest_time(b.record);
  });
}

/// The last record of this scope; null if there is none.
const EndRecord* last_of(const std::vector<EndRecord>& ends, Scope scope) {
  const auto found = std::find_if(ends.rbegin(), ends.rend(),
                                  [&](const EndRecord& end) { return end.scope == scope; });
  return found == ends.rend() ? nullptr : &*found;
}

LaunchEnd said_by(const EndRecord& end) {
  return {contract::to_string(outcome_of(end.record)), end.source, end.record.reason};
}

/// The end of a job says how the run in it ended only if it was a bad end.
LaunchEnd said_by_job(const EndRecord& end) {
  if (outcome_of(end.record) != RunOutcome::Completed) return said_by(end);
  return {contract::to_string(RunOutcome::Lost), end.source, "its job ended, it did not"};
}

/// mpirun sends SIGTERM to the other ranks when one dies. Then the script saw no signal, and its
/// exit code is the dead rank's; 130 and 143 are what a rank stopped by SIGINT or SIGTERM leaves.
bool rank_died(const LaunchSeen& launch, const EndRecord& script) {
  const int code = script.record.exit_code;
  return launch.run_stop == RunOutcome::Cancelled && launch.reason.starts_with("received SIG") &&
         !script.record.reason.starts_with("got SIG") && code != 0 && code != 128 + SIGINT &&
         code != 128 + SIGTERM;
}

LaunchEnd decide(const LaunchSeen& launch, const std::vector<EndRecord>& ends) {
  if (const EndRecord* end = last_of(ends, Scope::Run)) return said_by(*end);
  const EndRecord* script = last_of(ends, Scope::Script);
  if (script != nullptr && rank_died(launch, *script)) {
    LaunchEnd end = said_by(*script);
    end.reason = fmt::format("a rank died: exit code {}", script->record.exit_code);
    return end;
  }
  if (launch.run_stop) {
    return {contract::to_string(*launch.run_stop), "results.jsonl", launch.reason};
  }
  if (script != nullptr) return said_by(*script);
  if (const EndRecord* end = last_of(ends, Scope::Job)) return said_by_job(*end);
  return {kUnfinished, "", ""};
}

}  // namespace

std::vector<LaunchEnd> decide_ends(const std::vector<LaunchSeen>& launches,
                                   std::vector<EndRecord> ends) {
  sort_by_time(ends);
  std::vector<LaunchEnd> result;
  auto next = ends.begin();
  for (std::size_t i = 0; i < launches.size(); ++i) {
    // A launch that says nothing of its start ends before the next one that does.
    double until = std::numeric_limits<double>::infinity();
    for (std::size_t later = i + 1; later < launches.size() && std::isinf(until); ++later) {
      if (std::isfinite(launches[later].started)) until = launches[later].started;
    }
    std::vector<EndRecord> own;
    for (; next != ends.end() && latest_time(next->record) < until; ++next) {
      const bool before_it = latest_time(next->record) < launches[i].started;
      if (!before_it) own.push_back(*next);
    }
    result.push_back(decide(launches[i], own));
  }
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
