// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/run_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "analysis/frame.hpp"
#include "analysis/import/imported_plan.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "contract/records/software_record.hpp"
#include "runner/status/run_end.hpp"
#include "runner/status/run_results.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/runs/launch_log_reader.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Maximum number of runs that a message lists.
constexpr std::size_t kListed = 3;

std::string list_of(const std::vector<std::string>& runs) {
  const std::size_t shown = std::min(kListed, runs.size());
  return fmt::format("{}{}", fmt::join(runs.begin(), runs.begin() + std::ptrdiff_t(shown), ", "),
                     runs.size() > shown ? ", …" : "");
}

/// Descriptions of software, each read once.
class SoftwareRecords {
 public:
  explicit SoftwareRecords(const contract::PlanDir& folder) : folder_(folder) {}

  /// Returns the description with this name, or nothing if it cannot be read.
  const std::optional<contract::SoftwareRecord>& find(const std::string& name) {
    const auto [known, is_new] = records_.try_emplace(name);
    if (!is_new) return known->second;
    try {
      const fs::path file = folder_.software_record(name);
      known->second = contract::software_from_json(base::read_file(file), file.string());
    } catch (const base::Error&) {  // `dlscale collect` reports why the file cannot be read
    }
    return known->second;
  }

 private:
  const contract::PlanDir& folder_;
  std::map<std::string, std::optional<contract::SoftwareRecord>> records_;
};

const contract::PlannedRun* find_run(const contract::Plan& plan, const std::string& run_id) {
  const auto found = std::ranges::find(plan.runs, run_id, &contract::PlannedRun::run_id);
  return found == plan.runs.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> code_changes(const contract::Plan& plan, const contract::PlanDir& folder,
                                      const RunIds& runs) {
  std::error_code unreadable;
  if (!fs::is_directory(folder.software(), unreadable)) return {};
  const runner::LaunchHistory history = runner::read_history(folder);
  SoftwareRecords records(folder);
  std::map<std::string, std::vector<std::string>> changed;
  for (const contract::PlannedRun& run : plan.runs) {
    const runner::LoggedRun* const entry = history.last_entry(run.run_id);
    if (!runs.contains(run.run_id) || entry == nullptr || entry->software.empty()) continue;
    const std::string started = runner::read_run_notes(folder, run.run_id, entry->launch).software;
    if (started.empty() || started == entry->software) continue;
    const auto& before = records.find(entry->software);
    const auto& after = records.find(started);
    const std::string change = before && after ? change_of(*before, *after) : "";
    if (!change.empty()) changed[change].push_back(run.run_id);
  }
  std::vector<std::string> warnings;
  for (const auto& [change, ids] : changed) {
    warnings.push_back(fmt::format("{} between the submission and the start of {}: {}", change,
                                   base::count_of(ids.size(), "run"), list_of(ids)));
  }
  return warnings;
}

namespace {

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
                  list_of(runs));
  const std::string output = last.out().string();
  if (contract::writes_records(*first)) {
    const bool has_file = fs::exists(last.results());
    return fmt::format(
        "{}: {} {}, and the study names {}; set log_format or read under [trainer], so that "
        "dlscale can read {}; \"dlscale check-format FORMAT {}\" shows what a format reads",
        subject, last.results().string(),
        has_file ? "contains no step_window, epoch or eval record" : "does not exist",
        first->log_format.empty() ? "no log_format"
                                  : fmt::format("the log format \"{}\"", first->log_format),
        output, output);
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
