// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/ingest.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "analysis/frame.hpp"
#include "analysis/store/end_rows.hpp"
#include "analysis/store/formats/log_format.hpp"
#include "analysis/store/import/imported_plan.hpp"
#include "analysis/store/import/imported_run.hpp"
#include "analysis/store/noted_ends.hpp"
#include "analysis/store/record_rows.hpp"
#include "analysis/store/sources.hpp"
#include "analysis/store/sqlite_inserter.hpp"
#include "analysis/store/store.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/plan.hpp"
#include "contract/run_id.hpp"
#include "contract/run_table.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
using contract::RunOutcome;
namespace {

/// Names of the entries of a folder, sorted; none if there is no such folder.
std::vector<std::string> entries(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Ingest {
 public:
  Ingest(const contract::PlanDir& folder, const contract::Plan& plan, SQLite::Database& database)
      : folder_(folder),
        plan_(plan),
        database_(database),
        rows_(database),
        sources_(database),
        end_rows_(database),
        tables_(plan, folder),
        is_imported_(holds_imported_runs(plan)) {}

  IngestSummary run() {
    write_study();
    rows_.delete_unreadable_runs();  // made anew below, if they still are
    for (const std::string& run_id : entries(folder_.runs())) take_run(run_id);
    for (const contract::PlannedRun& planned : plan_.runs) {
      if (!runs_.contains(planned.run_id)) take_run(planned.run_id);  // its folder is gone
    }
    forget_what_is_gone();
    add_unreadable_runs();
    ends_ = read_ends(plan_, folder_);
    for (const std::string& run_id : runs_) {
      end_rows_.conclude(
          {run_id, plan_position(run_id), unreadable_.contains(run_id), is_imported_},
          ends_[run_id]);
    }
    report();
    return summary_;
  }

 private:
  std::string relative(const fs::path& file) const {
    return file.lexically_relative(folder_.root()).generic_string();
  }

  void write_study() {
    database_.exec("DELETE FROM study; DELETE FROM study_axis;");
    Inserter(database_, "study",
             {"name", "scaling", "site", "scheduler", "baseline_rule", "baseline_gpus", "repeats"})
        .add(plan_.study, plan_.scaling, plan_.site, plan_.scheduler, plan_.baseline.rule,
             plan_.baseline.gpus, plan_.repeats)
        .done();
    Inserter axis(database_, "study_axis", {"position", "value_position", "name", "value"});
    for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
      const contract::Axis& from = plan_.axes[i];
      for (std::size_t k = 0; k < from.values.size(); ++k) {
        axis.add(int(i), int(k), from.name, from.values[k]).done();
      }
    }
  }

  /// Reads a file that is new or has changed and hands its text to `take`, which returns what was
  /// wrong with it: problems, one a line, and whether it was cut off. A file that is not there or
  /// unreadable is a problem, too.
  template <class Take>
  void read_if_changed(const fs::path& path, Take take) {
    const std::string name = relative(path);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      summary_.problems.push_back(fmt::format("{}: {}", name, std::strerror(errno)));
      return;
    }
    const std::int64_t mtime_ns =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    const FileStamp stamp{status.st_size, mtime_ns};
    if (sources_.is_unchanged(name, stamp)) {
      ++summary_.files_unchanged;
      return;
    }
    const std::string text = base::read_file(path);
    const std::string sha256 = contract::sha256_hex(text);
    if (sources_.has_content(name, stamp, sha256)) {
      ++summary_.files_unchanged;
      return;
    }
    ++summary_.files_read;
    const auto [problems, truncated] = take(text, name);
    const auto size = static_cast<std::int64_t>(text.size());
    sources_.note(name, {{size, mtime_ns}, sha256, problems, truncated});
  }

  void take_run(const std::string& run_id) {
    const contract::RunDir run = folder_.run(run_id);
    runs_.insert(run_id);
    if (tables_.has(run_id) && !fs::exists(run.run_json())) return;  // its task has not started
    read_if_changed(run.run_json(), [&](const std::string& text, const std::string& name) {
      return std::pair(take_run_json(run_id, text, name), false);
    });
    for (const contract::LaunchDir& launch : run.launches()) take_launch(run, run_id, launch);
  }

  void take_launch(const contract::RunDir& run, const std::string& run_id,
                   const contract::LaunchDir& launch) {
    if (is_imported_) return take_import(run, run_id, launch);
    const LogFormat& format = format_of(run_id);
    const fs::path file = launch.root() / format.file;
    const LaunchKey key{run_id, launch.number(), relative(file)};
    ++summary_.launches;
    launches_.insert({run_id, key.launch});
    if (!fs::exists(file)) {
      rows_.replace_launch(key, {});  // it died before it could write
      return;
    }
    read_if_changed(file, [&](const std::string& text, const std::string&) {
      return take_results(key, format, text, run);
    });
  }

  /// The log of another program. What it says counts as long as it is what was imported.
  void take_import(const contract::RunDir& run, const std::string& run_id,
                   const contract::LaunchDir& launch) {
    const fs::path file = import_json(launch);
    LaunchKey key{run_id, launch.number(), relative(file)};
    ++summary_.launches;
    launches_.insert({run_id, key.launch});
    const FileStamp stamp = stamp_of(file);
    try {
      const std::string text = base::read_file(file);
      const ImportRecord record = import_record_from_json(text, key.source);
      const bool same = sources_.is_unchanged(key.source, stamp);
      if (sources_.is_unchanged(record.path, stamp_of(record.path)) && same) {
        ++summary_.files_unchanged;
        return;
      }
      ++summary_.files_read;
      const contract::ResultsFile content = read_import(record, run);
      const std::string problems = problems_of(record.path, content);
      sources_.note(key.source, {stamp, contract::sha256_hex(text), problems, false});
      key.source = record.path;
      rows_.replace_launch(key, content);
    } catch (const base::Error& error) {  // one that cannot be read must not keep the rest out
      summary_.problems.push_back(error.what());
      contract::RunSpec spec;
      spec.run_id = run_id;
      rows_.replace_launch(key, failed_launch(spec, RunOutcome::Lost, error.what()));
    }
  }

  contract::ResultsFile read_import(const ImportRecord& record, const contract::RunDir& run) {
    const fs::path file = run.run_json();
    contract::RunSpec spec = contract::run_spec_from_json(base::read_file(file), relative(file));
    keep_what_is_said(spec);
    if (log_path_ != record.path) log_ = read_foreign(log_path_ = record.path);
    if (!log_.problem.empty()) {
      const bool gone = log_.sha256.empty();
      if (!gone) sources_.note(record.path, {stamp_of(record.path), log_.sha256, "", false});
      return failed_launch(spec, gone ? RunOutcome::Lost : RunOutcome::Failed, log_.problem);
    }
    LogContent content;
    if (log_.sha256 == record.sha256) {
      content = read_log(record, log_.text, spec);
      complete_launch(content, spec);
    } else {
      content.file = failed_launch(spec, RunOutcome::Lost,
                                   "has changed since it was collected; collect it again with -o");
    }
    const bool truncated = content.file.truncated;
    sources_.note(record.path, {stamp_of(record.path), log_.sha256, "", truncated});
    return std::move(content.file);
  }

  /// One a line: what was passed over, and why nothing counts.
  static std::string problems_of(const std::string& path, const contract::ResultsFile& file) {
    std::string problems;
    for (const std::string& skipped : file.skipped) {
      problems += fmt::format("{}: {}\n", path, skipped);
    }
    const auto* const stop =
        file.records.empty() ? nullptr : std::get_if<contract::RunStop>(&file.records.back());
    if (stop != nullptr && stop->outcome == RunOutcome::Lost) {
      problems += fmt::format("{}: {}\n", path, stop->reason);
    }
    return problems;
  }

  const LogFormat& format_of(const std::string& run_id) {
    const auto position = plan_position(run_id);
    const std::string name = position ? plan_.runs[*position].log_format : "";
    return base::find(log_formats(), "log format", name.empty() ? "dlscale" : name);
  }

  /// Returns what is wrong with it.
  std::string take_run_json(const std::string& run_id, const std::string& text,
                            const std::string& name) {
    try {
      contract::RunSpec spec = contract::run_spec_from_json(text, name);
      if (is_imported_) keep_what_is_said(spec);
      if (spec.run_id == run_id) {
        rows_.replace_run(spec, name);
        return "";
      }
      rows_.delete_run(run_id);
      return fmt::format("{}: describes run {}", name, spec.run_id);
    } catch (const base::SpecError& error) {  // one broken file must not keep the rest out
      rows_.delete_run(run_id);
      return error.what();
    }
  }

  std::pair<std::string, bool> take_results(const LaunchKey& key, const LogFormat& format,
                                            const std::string& text, const contract::RunDir& run) {
    contract::RunSpec spec;
    if (format.needs_run) {
      const fs::path file = run.run_json();
      try {
        spec = contract::run_spec_from_json(base::read_file(file), relative(file));
      } catch (const base::Error&) {
        return {key.source + ": left out, for nothing readable describes its run", false};
      }
    }
    std::string problems;
    contract::ResultsFile file = format.read(text, spec).file;
    for (const std::string& skipped : file.skipped) {
      problems += fmt::format("{}: {}\n", key.source, skipped);
    }
    for (const contract::ResultRecord& record : file.records) {
      const auto* start = std::get_if<contract::RunStart>(&record);
      if (start == nullptr || start->run_id == key.run_id) continue;
      problems += fmt::format("{}: holds results of run {}; left out\n", key.source, start->run_id);
      file = {};
      break;
    }
    rows_.replace_launch(key, file);
    return {problems, file.truncated};
  }

  void forget_what_is_gone() {
    SQLite::Statement runs(database_, "SELECT run_id FROM run");
    std::vector<std::string> gone;
    while (runs.executeStep()) {
      const std::string run_id = runs.getColumn(0);
      if (!fs::exists(folder_.run(run_id).run_json())) gone.push_back(run_id);
    }
    for (const std::string& run_id : gone) rows_.delete_run(run_id);
    SQLite::Statement launches(database_, "SELECT run_id, launch FROM launch");
    std::vector<std::pair<std::string, int>> lost;
    while (launches.executeStep()) {
      const std::pair<std::string, int> key{launches.getColumn(0).getString(),
                                            launches.getColumn(1)};
      if (!launches_.contains(key)) lost.push_back(key);
    }
    for (const auto& [run_id, launch] : lost) rows_.delete_launch(run_id, launch);
    sources_.forget_gone();
  }

  /// A task of an array that has not started.
  bool take_from_table(const std::string& run_id) {
    if (fs::exists(folder_.run(run_id).run_json())) return false;
    const auto line = tables_.find(run_id);
    return line && take_run_json(run_id, line->json, relative(line->file)).empty();
  }

  /// Every run of the plan is a row, also those that nothing readable describes.
  void add_unreadable_runs() {
    SQLite::Statement query(database_, "SELECT 1 FROM run WHERE run_id = ?");
    for (const contract::PlannedRun& planned : plan_.runs) {
      query.reset();
      query.bind(1, planned.run_id);
      if (query.executeStep() || take_from_table(planned.run_id)) continue;
      rows_.insert_unreadable_run(planned, relative(folder_.run(planned.run_id).run_json()));
      unreadable_.insert(planned.run_id);
    }
  }

  std::optional<int> plan_position(const std::string& run_id) {
    if (positions_.empty()) {
      for (std::size_t i = 0; i < plan_.runs.size(); ++i) positions_[plan_.runs[i].run_id] = int(i);
    }
    const auto found = positions_.find(run_id);
    return found == positions_.end() ? std::nullopt : std::optional(found->second);
  }

  void report() {
    sources_.report(summary_);
    SQLite::Statement unplanned(database_, "SELECT run_id FROM run WHERE plan_position IS NULL");
    while (unplanned.executeStep()) summary_.unplanned.push_back(unplanned.getColumn(0));
  }

  const contract::PlanDir& folder_;
  const contract::Plan& plan_;
  SQLite::Database& database_;
  RecordRows rows_;
  Sources sources_;
  EndRows end_rows_;
  std::set<std::string> runs_;
  std::set<std::string> unreadable_;                ///< planned runs without a description
  std::set<std::pair<std::string, int>> launches_;  ///< run id and launch number, found now
  NotedEnds ends_;
  std::map<std::string, int> positions_;
  contract::RunTables tables_;
  const bool is_imported_;  ///< all runs are logs of other programs
  std::string log_path_;    ///< of the log that was read last: several runs may be in one
  ForeignText log_;
  IngestSummary summary_;
};

}  // namespace

IngestSummary ingest(const contract::PlanDir& folder, bool rebuild) {
  const contract::Plan plan = contract::read_plan(folder);
  if (rebuild) Store::remove(folder.database());
  Store store(folder.database(), Store::Access::Write);
  IngestSummary summary;
  store.with([&](SQLite::Database& database) { summary = Ingest(folder, plan, database).run(); });
  return summary;
}

}  // namespace dlscale::analysis
