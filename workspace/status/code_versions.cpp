// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/code_versions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "contract/records/software_record.hpp"
#include "runner/status/run_results.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 3;
  const std::size_t shown = std::min(kListed, names.size());
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + std::ptrdiff_t(shown), ", "),
                     names.size() > shown ? ", …" : "");
}

namespace {

using contract::SoftwareRecord;

/// Descriptions of software, each read once.
class SoftwareRecords {
 public:
  explicit SoftwareRecords(const contract::PlanDir& folder) : folder_(folder) {}

  /// Returns the description with this name, or nothing if it cannot be read.
  const std::optional<SoftwareRecord>& find(const std::string& name) {
    const auto [known, is_new] = records_.try_emplace(name);
    if (!is_new) return known->second;
    try {
      const fs::path file = folder_.software_record(name);
      known->second = contract::software_from_json(base::read_file(file), file.string());
    } catch (const base::Error&) {  // `dlscale collect` reports why the file cannot be read
    }
    return known->second;
  }

  /// Returns the names of the files that differ between two versions of the same commit, as text.
  /// Returns an empty text if the names are unknown.
  std::string changed_files(const SoftwareRecord& a, const SoftwareRecord& b) const {
    if (a.commit.empty() || a.commit != b.commit) return "";
    const auto first = changes_of(a), second = changes_of(b);
    if (!first || !second) return "";
    return first_names(contract::differing_files(*first, *second));
  }

  /// Returns how the code `other` differs from the code `newest`, in a few words.
  std::string difference(const SoftwareRecord& other, const SoftwareRecord& newest) const {
    const std::string files = changed_files(other, newest);
    if (!files.empty()) return "files that differ: " + files;
    const bool has_commits = !other.commit.empty() && !newest.commit.empty();
    if (!has_commits && !other.script.empty() && other.script == newest.script) {
      return "file that differs: " + other.script;
    }
    return fmt::format("{}{} instead of {}", has_commits ? "commit " : "",
                       contract::code_version(other), contract::code_version(newest));
  }

 private:
  /// Returns the list of changed files, which is empty without changes. Returns nothing if the list
  /// cannot be read.
  std::optional<std::string> changes_of(const SoftwareRecord& record) const {
    if (record.difference.empty()) return "";
    try {
      return base::read_file(folder_.software() / contract::changes_file(record));
    } catch (const base::Error&) {  // earlier versions of dlscale wrote no list
      return std::nullopt;
    }
  }

  const contract::PlanDir& folder_;
  std::map<std::string, std::optional<SoftwareRecord>> records_;
};

bool has_descriptions(const contract::PlanDir& folder) {
  std::error_code unreadable;
  return fs::is_directory(folder.software(), unreadable);
}

}  // namespace

std::vector<std::string> code_changes(const contract::Plan& plan, const contract::PlanDir& folder,
                                      const RunIds& runs) {
  if (!has_descriptions(folder)) return {};
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
    if (!before || !after) continue;
    const std::string change = change_of(*before, *after, records.changed_files(*before, *after));
    if (!change.empty()) changed[change].push_back(run.run_id);
  }
  std::vector<std::string> warnings;
  for (const auto& [change, ids] : changed) {
    warnings.push_back(fmt::format("{} between the submission and the start of {}: {}", change,
                                   base::count_of(ids.size(), "run"), first_names(ids)));
  }
  return warnings;
}

std::vector<OldCode> old_code(const contract::Plan& plan, const contract::PlanDir& folder,
                              const RunIds& runs) {
  if (!has_descriptions(folder)) return {};
  const runner::States states = runner::run_states(plan, folder);
  SoftwareRecords records(folder);
  const SoftwareRecord* newest = nullptr;
  double newest_time = 0;
  std::string newest_run;
  std::map<std::string, std::pair<const SoftwareRecord*, std::vector<std::string>>> versions;
  for (const contract::PlannedRun& run : plan.runs) {
    if (!runner::has_ended(states.at(run.run_id))) continue;
    const auto launch = runner::completed_launch(folder, run.run_id);
    const auto& record = records.find(launch ? launch->software : "");
    if (!record || code_version(*record).empty()) continue;
    if (newest == nullptr || launch->described_at >= newest_time) {
      newest = &*record;
      newest_time = launch->described_at;
      newest_run = run.run_id;
    }
    auto& [code, ids] = versions[code_version(*record)];
    code = &*record;
    if (runs.contains(run.run_id)) ids.push_back(run.run_id);
  }
  std::vector<OldCode> old;
  for (auto& [version, found] : versions) {
    auto& [code, ids] = found;
    if (ids.empty() || version == code_version(*newest)) continue;
    old.push_back({newest_run, records.difference(*code, *newest), std::move(ids)});
  }
  return old;
}

std::vector<std::string> old_code_warnings(const contract::Plan& plan,
                                           const contract::PlanDir& folder, const RunIds& runs) {
  std::vector<std::string> warnings;
  for (const OldCode& old : old_code(plan, folder, runs)) {
    warnings.push_back(fmt::format(
        "{} used other code than {}, the newest completed run ({}): {}; \"dlscale retry {} "
        "--old-code\" repeats {} with the present code",
        base::count_of(old.runs.size(), "run"), old.newest, old.difference, first_names(old.runs),
        folder.root().string(), base::word_for(old.runs.size(), "it", "them")));
  }
  return warnings;
}

}  // namespace dlscale::workspace
