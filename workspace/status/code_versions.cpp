// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/code_versions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "contract/records/software_record.hpp"
#include "contract/run_spec/run_id.hpp"
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

/// Training scripts as they are now. Each script is read once.
class PresentScripts {
 public:
  /// Returns whether the training script changed after a run. Returns false if this is unknown, for
  /// example because the script does not exist on this machine.
  bool has_changed(const SoftwareRecord& record) {
    if (record.script_digest.empty() || !fs::path(record.script).is_absolute()) return false;
    const auto [known, is_new] = digests_.try_emplace(record.script);
    if (is_new) known->second = digest_of(record.script, record.script_digest.size());
    return !known->second.empty() && known->second != record.script_digest;
  }

 private:
  /// Returns the first digits of the digest of a file, or an empty text if the file cannot be read.
  /// Large files are not read, because `status --watch` would read them at each update.
  static std::string digest_of(const fs::path& file, std::size_t digits) {
    constexpr std::uintmax_t kLargest_bytes = std::uintmax_t{4} << 20;
    std::error_code missing;
    const std::uintmax_t bytes = fs::file_size(file, missing);
    if (missing || bytes > kLargest_bytes) return "";
    try {
      return contract::sha256_hex(base::read_file(file)).substr(0, digits);
    } catch (const base::Error&) {
      return "";
    }
  }

  std::map<std::string, std::string> digests_;
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

namespace {

/// Completed run with the description of its software.
struct DescribedRun {
  std::string run_id;
  const SoftwareRecord* code;
  double described_at;  ///< Unix time in s at which the job read the software
};

/// Returns the completed runs whose code is known, in the order of the plan. Runs that wait or run
/// again are left out.
std::vector<DescribedRun> described_runs(const contract::Plan& plan,
                                         const contract::PlanDir& folder,
                                         SoftwareRecords& records) {
  const runner::States states = runner::run_states(plan, folder);
  std::vector<DescribedRun> described;
  for (const contract::PlannedRun& run : plan.runs) {
    if (!runner::has_ended(states.at(run.run_id))) continue;
    const auto launch = runner::completed_launch(folder, run.run_id);
    const auto& record = records.find(launch ? launch->software : "");
    if (!record || code_version(*record).empty()) continue;
    described.push_back({run.run_id, &*record, launch->described_at});
  }
  return described;
}

}  // namespace

std::vector<OldCode> old_code(const contract::Plan& plan, const contract::PlanDir& folder,
                              const RunIds& runs) {
  if (!has_descriptions(folder)) return {};
  SoftwareRecords records(folder);
  const std::vector<DescribedRun> described = described_runs(plan, folder, records);
  if (described.empty()) return {};
  // If several runs are newest, the last one in the plan counts.
  const DescribedRun* newest = &described.front();
  for (const DescribedRun& run : described) {
    if (run.described_at >= newest->described_at) newest = &run;
  }
  PresentScripts scripts;
  const bool is_edited = scripts.has_changed(*newest->code);
  std::map<std::string, OldCode> by_version;
  for (const auto& [run_id, code, described_at] : described) {
    if (!runs.contains(run_id)) continue;
    const bool is_old =
        is_edited ? scripts.has_changed(*code) : code_version(*code) != code_version(*newest->code);
    if (!is_old) continue;
    OldCode& old = by_version[is_edited ? code->script : code_version(*code)];
    old.newest = is_edited ? "" : newest->run_id;
    old.difference = is_edited ? code->script : records.difference(*code, *newest->code);
    old.runs.push_back(run_id);
  }
  std::vector<OldCode> all;
  for (auto& [version, old] : by_version) all.push_back(std::move(old));
  return all;
}

std::vector<std::string> old_code_warnings(const contract::Plan& plan,
                                           const contract::PlanDir& folder, const RunIds& runs) {
  std::vector<std::string> warnings;
  for (const OldCode& old : old_code(plan, folder, runs)) {
    const std::string count = base::count_of(old.runs.size(), "run");
    const std::string_view them = base::word_for(old.runs.size(), "it", "them");
    const std::string command =
        fmt::format("\"dlscale retry {} --old-code\" repeats {}", folder.root().string(), them);
    if (old.newest.empty()) {
      warnings.push_back(fmt::format(
          "{} used an earlier version of {}: {}; the results stay valid for that version; {} with "
          "the present version",
          count, old.difference, first_names(old.runs), command));
    } else {
      warnings.push_back(
          fmt::format("{} used other code than {}, the newest completed run ({}): {}; {} with the "
                      "present code",
                      count, old.newest, old.difference, first_names(old.runs), command));
    }
  }
  return warnings;
}

}  // namespace dlscale::workspace
