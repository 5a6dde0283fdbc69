// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/run_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/frame.hpp"
#include "analysis/import/imported_plan.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "runner/status/run_end.hpp"
#include "workspace/runs/launch_log_reader.hpp"
#include "workspace/status/code_versions.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

const contract::PlannedRun* find_run(const contract::Plan& plan, const std::string& run_id) {
  const auto found = std::ranges::find(plan.runs, run_id, &contract::PlannedRun::run_id);
  return found == plan.runs.end() ? nullptr : &*found;
}

/// Returns true if the id of the run depends on the name of its log format. This is the case if the
/// study names the format with the key log_format, and not with the key read.
bool id_contains_format(const contract::PlanDir& folder, const contract::PlannedRun& run) {
  const fs::path file = folder.run(run.run_id).run_json();
  try {
    return !contract::run_spec_from_json(base::read_file(file), file.string())
                .trainer.log_format.empty();
  } catch (const base::Error&) {  // dlscale collect reports the broken description
    return false;
  }
}

}  // namespace

std::string nothing_read(const contract::Plan& plan, const contract::PlanDir& folder,
                         const std::vector<std::string>& runs) {
  const contract::PlannedRun* const first = runs.empty() ? nullptr : find_run(plan, runs.front());
  if (first == nullptr) return "";
  const std::vector<contract::LaunchDir> launches = folder.run(first->run_id).launches();
  if (launches.empty()) return "";
  const contract::LaunchDir& last = launches.back();
  const std::string subject =
      fmt::format("no records were read from {} ({})", base::count_of(runs.size(), "completed run"),
                  first_names(runs));
  const std::string output = last.out().string();
  if (contract::writes_records(*first)) {
    const bool has_file = fs::exists(last.results());
    return fmt::format(
        "{}: {} {}, and the study names {}; set {} under [trainer], so that dlscale can read {}{}; "
        "\"dlscale check-format FORMAT {}\" shows what a format reads",
        subject, last.results().string(),
        has_file ? "contains no step_window, epoch or eval record" : "does not exist",
        first->log_format.empty() ? "no log_format"
                                  : fmt::format("the log format \"{}\"", first->log_format),
        first->log_format.empty() ? "read" : "log_format or read", output,
        first->log_format.empty() ? " without repeating the runs" : "", output);
  }
  const std::string file = log_file(last, *first, folder).string();
  const fs::path described = folder.log_format_toml();
  const std::string name =
      fs::exists(described) ? described.string() : contract::log_format_name(*first);
  return fmt::format(
      "{}: {} contains no measurement in the format \"{}\"; \"dlscale check-format {} {}\" shows "
      "what the format reads. {}",
      subject, file, first->log_format, name, file,
      id_contains_format(folder, *first)
          ? "Correct the key log_format in [trainer], then plan again; the runs then have other "
            "ids and must be repeated, because their ids contain the format"
          : "Correct the key read in [trainer], then plan and collect again; the runs need not be "
            "repeated");
}

std::string nothing_read(const analysis::Frame& frame, const contract::PlanDir& folder) {
  std::vector<std::string> runs;
  for (const analysis::RunRow& run : frame.runs) {
    if (!run.has_records) runs.push_back(run.run_id);
  }
  if (runs.empty()) return "";
  const contract::Plan plan = contract::read_plan(folder);
  // When third-party logs are imported, their reader already reports what it could not read.
  return analysis::holds_imported_runs(plan) ? "" : nothing_read(plan, folder, runs);
}

std::vector<std::string> runs_without_records(const contract::Plan& plan,
                                              const contract::PlanDir& folder,
                                              const std::vector<std::string>& completed) {
  constexpr std::size_t kChecked = 5;
  std::size_t checked = 0;
  std::vector<std::string> without;
  for (const std::string& id : completed) {
    const contract::PlannedRun* const run = find_run(plan, id);
    if (run == nullptr || !runner::is_external(*run, folder)) continue;
    const std::vector<contract::LaunchDir> launches = folder.run(id).launches();
    if (launches.empty()) continue;
    if (checked++ < kChecked && has_measurements(launches.back(), *run, folder)) return {};
    without.push_back(id);
  }
  return without;
}

}  // namespace dlscale::workspace
