// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/ingest.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "analysis/frame.hpp"
#include "analysis/store/formats/log_format.hpp"
#include "analysis/store/launch_outcome.hpp"
#include "analysis/store/record_rows.hpp"
#include "analysis/store/sqlite_inserter.hpp"
#include "analysis/store/store.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/launch_record.hpp"
#include "contract/plan.hpp"
#include "contract/run_id.hpp"
#include "contract/run_table.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
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

void execute(SQLite::Database& database, const char* sql, const std::string& argument) {
  SQLite::Statement statement(database, sql);
  statement.bind(1, argument);
  statement.exec();
}

/// What the `source` table knows of a file.
struct Source {
  std::int64_t size = -1;
  std::int64_t mtime_ns = 0;
  std::string sha256;
};

class Ingest {
 public:
  Ingest(const contract::PlanDir& folder, const contract::Plan& plan, SQLite::Database& database)
      : folder_(folder), plan_(plan), database_(database), tables_(plan, folder) {}

  IngestSummary run() {
    load_known_sources();
    write_study();
    delete_unreadable_runs(database_);  // made anew below, if they still are
    for (const std::string& run_id : entries(folder_.runs())) take_run(run_id);
    for (const contract::PlannedRun& planned : plan_.runs) {
      if (!runs_.contains(planned.run_id)) take_run(planned.run_id);  // its folder is gone
    }
    forget_what_is_gone();
    add_unreadable_runs();
    collect_ends();
    for (const std::string& run_id : runs_) conclude(run_id);
    report();
    return summary_;
  }

 private:
  std::string relative(const fs::path& file) const {
    return file.lexically_relative(folder_.root()).generic_string();
  }

  void load_known_sources() {
    SQLite::Statement query(database_, "SELECT path, size, mtime_ns, sha256 FROM source");
    while (query.executeStep()) {
      known_[query.getColumn(0)] = {query.getColumn(1), query.getColumn(2),
                                    query.getColumn(3).getString()};
    }
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
    present_.insert(name);
    const auto known = known_.find(name);
    const bool is_known = known != known_.end();
    if (is_known && known->second.size == status.st_size && known->second.mtime_ns == mtime_ns) {
      ++summary_.files_unchanged;
      return;
    }
    const std::string text = base::read_file(path);
    const std::string sha256 = contract::sha256_hex(text);
    if (is_known && known->second.sha256 == sha256) {
      ++summary_.files_unchanged;
      SQLite::Statement touch(database_, "UPDATE source SET mtime_ns = ? WHERE path = ?");
      touch.bind(1, mtime_ns);
      touch.bind(2, name);
      touch.exec();
      return;
    }
    ++summary_.files_read;
    const auto [problems, truncated] = take(text, name);
    execute(database_, "DELETE FROM source WHERE path = ?", name);
    Inserter(database_, "source", {"path", "size", "mtime_ns", "sha256", "truncated", "problems"})
        .add(name, std::int64_t(text.size()), mtime_ns, sha256, truncated, problems)
        .done();
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
    const LogFormat& format = format_of(run_id);
    const fs::path file = launch.root() / format.file;
    const LaunchKey key{run_id, launch.number(), relative(file)};
    ++summary_.launches;
    launches_.insert({run_id, key.launch});
    if (!fs::exists(file)) {
      replace_launch(database_, key, {});  // it died before it could write
      return;
    }
    read_if_changed(file, [&](const std::string& text, const std::string&) {
      return take_results(key, format, text, run);
    });
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
      const contract::RunSpec spec = contract::run_spec_from_json(text, name);
      if (spec.run_id == run_id) {
        replace_run(database_, spec, name);
        return "";
      }
      delete_run(database_, run_id);
      return fmt::format("{}: describes run {}", name, spec.run_id);
    } catch (const base::SpecError& error) {  // one broken file must not keep the rest out
      delete_run(database_, run_id);
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
    contract::ResultsFile file = format.read(text, spec);
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
    replace_launch(database_, key, file);
    return {problems, file.truncated};
  }

  void forget_what_is_gone() {
    SQLite::Statement runs(database_, "SELECT run_id FROM run");
    std::vector<std::string> gone;
    while (runs.executeStep()) {
      const std::string run_id = runs.getColumn(0);
      const std::string file = relative(folder_.run(run_id).run_json());
      if (!present_.contains(file)) gone.push_back(run_id);
    }
    for (const std::string& run_id : gone) delete_run(database_, run_id);
    SQLite::Statement launches(database_, "SELECT run_id, launch FROM launch");
    std::vector<std::pair<std::string, int>> lost;
    while (launches.executeStep()) {
      const std::pair<std::string, int> key{launches.getColumn(0).getString(),
                                            launches.getColumn(1)};
      if (!launches_.contains(key)) lost.push_back(key);
    }
    for (const auto& [run_id, launch] : lost) delete_launch(database_, run_id, launch);
    for (const auto& [path, source] : known_) {
      if (!present_.contains(path)) execute(database_, "DELETE FROM source WHERE path = ?", path);
    }
  }

  /// A task of an array that has not started.
  bool take_from_table(const std::string& run_id) {
    if (fs::exists(folder_.run(run_id).run_json())) return false;
    const auto line = tables_.find(run_id);
    return line && take_run_json(run_id, line->json, relative(line->file)).empty();
  }

  /// Every run of the plan is a row, also those that nothing readable describes.
  void add_unreadable_runs() {
    for (const contract::PlannedRun& planned : plan_.runs) {
      SQLite::Statement query(database_, "SELECT 1 FROM run WHERE run_id = ?");
      query.bind(1, planned.run_id);
      if (query.executeStep() || take_from_table(planned.run_id)) continue;
      insert_unreadable_run(database_, planned, relative(folder_.run(planned.run_id).run_json()));
      unreadable_.insert(planned.run_id);
    }
  }

  /// Reads what the runner and the job scripts noted: small files, read each time.
  void collect_ends() {
    std::vector<std::pair<fs::path, bool>> logs{{folder_.launch_log(), true}};
    for (const std::string& name : entries(folder_.logs())) {
      if (name.ends_with(".end")) logs.emplace_back(folder_.logs() / name, false);
    }
    std::map<std::string, const contract::PlannedJob*> jobs;
    for (const contract::PlannedJob& job : plan_.jobs) jobs[job.name] = &job;
    using Scope = EndRecord::Scope;
    for (const auto& [path, by_runner] : logs) {
      if (!fs::exists(path)) continue;
      for (const auto& record : contract::parse_launch_log(base::read_file(path))) {
        if (record.event != "ended") continue;
        const Scope said = by_runner ? Scope::Run : Scope::Script;
        const auto job = jobs.find(record.job);
        if (!record.run_id.empty()) {
          ends_[record.run_id].push_back({said, relative(path), record});
        } else if (job != jobs.end()) {
          // The end of a job that runs one thing is the end of that thing.
          const bool alone = job->second->run_ids.size() == 1;
          for (const std::string& run_id : job->second->run_ids) {
            ends_[run_id].push_back({alone ? said : Scope::Job, relative(path), record});
          }
        }
      }
    }
  }

  /// Decides how the run and its launches ended and writes that down.
  void conclude(const std::string& run_id) {
    std::vector<LaunchSeen> seen;
    SQLite::Statement query(database_,
                            "SELECT launch, started, stop_outcome, stop_reason FROM launch "
                            "WHERE run_id = ? ORDER BY launch");
    query.bind(1, run_id);
    while (query.executeStep()) {
      const SQLite::Column started = query.getColumn(1);
      seen.push_back({query.getColumn(0), started.isNull() ? std::nan("") : started.getDouble(),
                      contract::outcome_from_string(query.getColumn(2).getString()),
                      query.getColumn(3).getString()});
    }
    const std::vector<LaunchEnd> ends = decide_ends(seen, ends_[run_id]);
    LaunchEnd last = ends.empty() ? decide_without_launch(ends_[run_id]) : ends.back();
    std::optional<int> result_launch;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      write_end(run_id, seen[i].launch, ends[i]);
      if (ends[i].outcome != contract::to_string(contract::RunOutcome::Completed)) continue;
      result_launch = seen[i].launch;
      last = ends[i];
    }
    if (unreadable_.contains(run_id)) {  // measured what, nobody knows
      last.outcome = kUnreadable;
      result_launch.reset();
    }
    SQLite::Statement update(database_,
                             "UPDATE run SET plan_position = ?, outcome = ?, result_launch = ? "
                             "WHERE run_id = ?");
    if (const auto position = plan_position(run_id)) update.bind(1, *position);
    update.bind(2, last.outcome);
    if (result_launch) update.bind(3, *result_launch);
    update.bind(4, run_id);
    update.exec();
  }

  void write_end(const std::string& run_id, int launch, const LaunchEnd& end) {
    SQLite::Statement update(database_,
                             "UPDATE launch SET outcome = ?, outcome_source = ?, reason = ? "
                             "WHERE run_id = ? AND launch = ?");
    update.bind(1, end.outcome);
    update.bind(2, end.source);
    update.bind(3, end.reason);
    update.bind(4, run_id);
    update.bind(5, launch);
    update.exec();
  }

  std::optional<int> plan_position(const std::string& run_id) {
    if (positions_.empty()) {
      for (std::size_t i = 0; i < plan_.runs.size(); ++i) positions_[plan_.runs[i].run_id] = int(i);
    }
    const auto found = positions_.find(run_id);
    return found == positions_.end() ? std::nullopt : std::optional(found->second);
  }

  void report() {
    SQLite::Statement query(database_,
                            "SELECT path, truncated, problems FROM source "
                            "WHERE truncated OR problems <> '' ORDER BY path");
    while (query.executeStep()) {
      if (query.getColumn(1).getInt() != 0) summary_.truncated.push_back(query.getColumn(0));
      std::string problems = query.getColumn(2);
      while (!problems.empty()) {
        const std::size_t end = std::min(problems.find('\n'), problems.size());
        summary_.problems.push_back(problems.substr(0, end));
        problems.erase(0, end + 1);
      }
    }
    SQLite::Statement unplanned(database_, "SELECT run_id FROM run WHERE plan_position IS NULL");
    while (unplanned.executeStep()) summary_.unplanned.push_back(unplanned.getColumn(0));
  }

  const contract::PlanDir& folder_;
  const contract::Plan& plan_;
  SQLite::Database& database_;
  std::map<std::string, Source> known_;  ///< before this time
  std::set<std::string> present_;        ///< files found now
  std::set<std::string> runs_;
  std::set<std::string> unreadable_;                ///< planned runs without a description
  std::set<std::pair<std::string, int>> launches_;  ///< run id and launch number, found now
  std::map<std::string, std::vector<EndRecord>> ends_;
  std::map<std::string, int> positions_;
  contract::RunTables tables_;
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
