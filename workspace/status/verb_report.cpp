// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/verb_report.hpp"

#include <iostream>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "contract/records/view_records.hpp"
#include "workspace/status/status_reader.hpp"

namespace dlscale::workspace {
namespace {

/// Returns the runs of each launch. Some records of a launch name no runs. Such records apply to
/// the runs in the first record of the launch.
std::map<std::string, std::vector<std::string>> runs_by_launch(const runner::LaunchLog& log) {
  std::map<std::string, std::vector<std::string>> runs;
  for (const contract::LaunchRecord& record : log.records()) {
    if (record.event == "submitting") runs.try_emplace(record.launch, record.runs);
  }
  return runs;
}

std::optional<int> last_launch(const contract::RunDir& run) {
  const auto launches = run.launches();
  return launches.empty() ? std::nullopt : std::optional(launches.back().number());
}

contract::VerbReport report_of(const LaunchFolder& place, const RunIds& selected,
                               const Deeds& deeds) {
  contract::VerbReport report;
  report.study = place.plan.study;
  report.time = place.clock.unix_s();
  report.dry_run = deeds.dry_run;
  report.jobs = deeds.jobs;
  report.commands = deeds.commands;
  std::vector<const contract::PlannedRun*> chosen;
  for (const contract::PlannedRun& run : place.plan.runs) {
    const bool meant = selected.contains(run.run_id) || deeds.actions.contains(run.run_id);
    if (meant) chosen.push_back(&run);
  }
  StatusReader reader(place.plan, place.folder, place.clock);
  reader.states_in_files();
  std::vector<ShownRun> shown = reader.runs(chosen);
  reader.add_progress(shown);
  for (const ShownRun& one : shown) {
    const std::string& id = one.run->run_id;
    contract::HandledRun run{record_of(one), {}, last_launch(place.folder.run(id))};
    if (selected.contains(id)) ++report.counts[run.status.state];
    if (const auto found = deeds.actions.find(id); found != deeds.actions.end()) {
      run.action = found->second;
      ++report.actions[run.action];
    }
    if (const auto found = deeds.reasons.find(id); found != deeds.reasons.end()) {
      run.status.reason = found->second;
    }
    report.runs.push_back(std::move(run));
  }
  return report;
}

}  // namespace

void add_log(const runner::LaunchLog& log, std::size_t before, Deeds& deeds) {
  const auto runs = runs_by_launch(log);
  for (std::size_t i = before; i < log.records().size(); ++i) {
    const contract::LaunchRecord& record = log.records()[i];
    const auto begun = runs.find(record.launch);
    const std::vector<std::string> all = begun == runs.end() ? record.runs : begun->second;
    if (record.event == "submitted") {
      ++deeds.jobs;
      for (const std::string& run : all) deeds.actions[run] = action::kSubmitted;
    } else if (record.event == "refused") {
      for (const std::string& run : all) {
        deeds.actions.insert_or_assign(run, action::kRefused);
        deeds.reasons[run] = record.reason;
      }
    } else if (record.event == "ended") {
      const std::string& now = deeds.actions[record.run_id];
      if (now != action::kSubmitted) deeds.actions[record.run_id] = action::kEnded;
    }
  }
  for (const auto& [run, done] : deeds.actions) {
    if (done != action::kRefused) deeds.reasons.erase(run);
  }
}

int report_on(const LaunchFolder& place, const RunIds& selected, const VerbWork& work) {
  if (!place.json) return work.work();
  const auto print = [&](int exit_code, const std::string& error) {
    contract::VerbReport report = report_of(place, selected, work.deeds());
    report.verb = work.verb;
    report.exit_code = exit_code;
    report.error = error;
    std::cout << to_json(report);
  };
  int exit_code = base::kExitOk;
  try {
    exit_code = work.work();
  } catch (const base::Error& error) {
    print(error.exit_code(), error.what());
    throw;
  }
  print(exit_code, "");
  return exit_code;
}

}  // namespace dlscale::workspace
