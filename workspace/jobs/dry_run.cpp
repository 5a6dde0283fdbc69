// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/dry_run.hpp"

#include <fmt/format.h>

#include <vector>

#include "planner/script/shell_text.hpp"
#include "runner/status/run_results.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::workspace {
namespace {

/// Exception that ends a submission as soon as its command is known.
struct Told {
  runner::Command command;
};

/// Command runner that throws each command instead of running it.
class Listener : public runner::CommandRunner {
 public:
  runner::ProcessId start(const runner::Command& command) override { throw Told{command}; }
  runner::Answer run(const runner::Command& command, double) override { throw Told{command}; }
  std::optional<runner::ExitStatus> wait(runner::ProcessId, double) override { return {}; }
  runner::ProcessUsage usage(runner::ProcessId) override { return {}; }
  void signal(runner::ProcessId, int) override {}
  void kill_group(runner::ProcessId) override {}
  std::vector<runner::ProcessId> find_by_environment(const std::string&) override { return {}; }
};

/// Returns the command as a shell line. The line removes the variables in `removed` from the
/// environment.
std::string shell_line(const runner::Command& command, const std::vector<std::string>& removed) {
  std::string line = removed.empty() ? "" : "env ";
  for (const std::string& name : removed) line += fmt::format("-u {} ", name);
  for (const auto& [name, value] : command.environment) {
    line += fmt::format("{}={} ", name, planner::shell_quote(value));
  }
  for (const std::string& argument : command.arguments) {
    line += planner::shell_quote(argument) + " ";
  }
  line.pop_back();
  return line;
}

/// Returns the runs that are submitted with the job. The list is empty if the job contains none of
/// `runs`. For a packed job, the list also contains the other runs of the job that are not
/// completed.
std::vector<std::string> runs_to_submit(const LaunchFolder& place, const contract::PlannedJob& job,
                                        const std::set<std::string>& runs,
                                        const std::set<std::string>& completed) {
  std::vector<std::string> taken;
  bool meant = false;
  for (const std::string& run : job.run_ids) {
    meant = meant || runs.contains(run);
    const bool with_others = job.kind == contract::JobKind::packed && !completed.contains(run) &&
                             !runner::read_run_results(place.folder.run(run)).completed;
    if (runs.contains(run) || with_others) taken.push_back(run);
  }
  return meant ? taken : std::vector<std::string>{};
}

}  // namespace

std::vector<DryJob> dry_run(const LaunchFolder& place, const std::set<std::string>& runs) {
  Listener listener;
  const auto& entry =
      base::find(runner::job_scheduler_table(), "job scheduler", place.plan.scheduler);
  const runner::SchedulerSetup setup = runner::scheduler_setup(listener, place.clock);
  std::vector<DryJob> jobs;
  std::set<std::string> submitted;
  const std::set<std::string> completed = runner::completed_external_runs(
      place.plan, place.folder, runner::run_states(place.plan, place.folder));
  for (const contract::PlannedJob& job : place.plan.jobs) {
    runner::JobPart part{&job, runs_to_submit(place, job, runs, completed)};
    if (part.runs.empty()) continue;
    submitted.insert(job.name);
    for (const std::string& other : job.after) {
      if (submitted.contains(other) && !place.is_local()) part.after.push_back("<" + other + ">");
    }
    try {
      // A scheduler object starts a chain with its first job. Each job gets its own object here, so
      // that `part.after` alone decides the order.
      entry.make(setup)->submit(runner::describe_job(place.folder, part, new_launch_token()));
    } catch (const Told& told) {
      jobs.push_back({part.runs, shell_line(told.command, place.environment.removed)});
    }
  }
  return jobs;
}

}  // namespace dlscale::workspace
