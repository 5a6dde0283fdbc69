// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/folder_rows.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/frame.hpp"
#include "analysis/import/described_format.hpp"
#include "analysis/import/foreign_log.hpp"
#include "analysis/import/foreign_text.hpp"
#include "analysis/import/imported_plan.hpp"
#include "analysis/import/imported_run.hpp"
#include "analysis/import/launch_format.hpp"
#include "analysis/import/reading/file_problems.hpp"
#include "analysis/import/reading/launcher_prefix.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "analysis/store/end_rows.hpp"
#include "analysis/store/folder_walk.hpp"
#include "analysis/store/foreign_rows.hpp"
#include "analysis/store/nccl_facts.hpp"
#include "analysis/store/read_ahead.hpp"
#include "analysis/store/record_rows.hpp"
#include "analysis/store/sources.hpp"
#include "analysis/store/sqlite_rows.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;

void write_study(SQLite::Database& database, const contract::Plan& plan) {
  database.exec("DELETE FROM study; DELETE FROM study_axis;");
  Inserter(database, "study",
           {"name", "scaling", "site", "scheduler", "baseline_rule", "baseline_gpus", "repeats"})
      .add(plan.study, plan.scaling, plan.site, plan.scheduler, plan.baseline.rule,
           plan.baseline.gpus, plan.repeats)
      .done();
  Inserter axis(database, "study_axis", {"position", "value_position", "name", "value"});
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    const contract::Axis& from = plan.axes[i];
    for (std::size_t k = 0; k < from.values.size(); ++k) {
      axis.add(int(i), int(k), from.name, from.values[k]).done();
    }
  }
}

using contract::RunOutcome;
namespace {

class FolderRows {
 public:
  FolderRows(const contract::PlanDir& folder, const contract::Plan& plan, Sources& sources,
             SQLite::Database& database)
      : folder_(folder),
        plan_(plan),
        sources_(sources),
        walk_(folder, sources),
        database_(database),
        rows_(database),
        foreign_rows_(database),
        tables_(plan, folder),
        is_imported_(holds_imported_runs(plan)) {
    for (std::size_t i = 0; i < plan.runs.size(); ++i) positions_[plan.runs[i].run_id] = int(i);
  }

  IngestSummary run() {
    write_study(database_, plan_);
    read_own_format();
    rows_.delete_unreadable_runs();  // runs that are still unreadable are added again below
    KnownRows before = rows_.known();
    find_runs();
    for (const FoundRun& run : found_) take_run(run);
    forget_what_is_gone(std::move(before));
    add_unreadable_runs();
    conclude();
    return summary_;
  }

 private:
  using Kind = FileToTake::Kind;

  std::string relative(const fs::path& file) const { return walk_.relative(file); }

  /// Reads the log format that the study describes. If the format has changed, all logs are read
  /// again.
  void read_own_format() {
    const fs::path file = folder_.log_format_toml();
    const std::string name = relative(file);
    if (is_imported_ || !sources_.look(name).exists()) return;
    const std::string text = base::read_file(file);
    const std::string sha256 = contract::sha256_hex(text);
    has_new_format_ = !sources_.has_content(name, sha256);
    own_format_ = std::make_unique<DescribedFormat>(text, name);
    sources_.note(name, {.sha256 = sha256});
  }

  /// Finds all runs and launches before any file is processed, so that other threads can already
  /// read the files.
  void find_runs() {
    std::vector<WantedRun> wanted;
    const auto want = [&](const std::string& run_id) {
      wanted.push_back({run_id, is_imported_ ? "" : format_of(run_id).launch_file()});
    };
    for (const std::string& run_id : walk_.run_ids()) {
      runs_.insert(runs_.end(), run_id);
      want(run_id);
    }
    for (const contract::PlannedRun& planned : plan_.runs) {
      // Planned run that has no folder yet.
      if (runs_.insert(planned.run_id).second) want(planned.run_id);
    }
    std::vector<FileToTake> files;
    for (FoundRun& run : walk_.find(wanted)) keep(std::move(run), files);
    ahead_ = std::make_unique<ReadAhead>(folder_.root(), std::move(files));
  }

  void keep(FoundRun run, std::vector<FileToTake>& files) {
    sources_.keep(run.description.name, run.description.state);
    const bool waits = tables_.has(run.run_id) && !run.description.state.exists();
    if (waits) return;  // the array job's task for this run has not started
    sources_.keep(run.folder.name, run.folder.state);
    if (!is_imported_) {
      announce(run.description, Kind::description, files);
      const auto position = plan_position(run.run_id);
      const bool is_own = !position || contract::writes_records(plan_.runs[*position]);
      for (const FoundLaunch& launch : run.launches) {
        sources_.keep(launch.log.name, launch.log.state);
        announce(launch.log, is_own ? Kind::results : Kind::other, files);
      }
    }
    found_.push_back(std::move(run));
  }

  void announce(const FoundFile& file, Kind kind, std::vector<FileToTake>& files) {
    if (!file.state.exists() || knows_as_it_is(file)) return;
    files.push_back({file.name, kind, file.state.size, sources_.sha256_of(file.name)});
  }

  /// Reads a file that is new or has changed and passes its content to `read`. With `always`,
  /// unchanged files are passed, too. The callback `read` returns what to note about the file,
  /// without its digest. A missing or unreadable file is recorded as a
  /// problem. Returns true if `read` was called.
  template <class Read>
  bool read_if_changed(const FoundFile& found, bool always, Read read) {
    const auto& [name, state, unchanged] = found;
    if (!state.exists()) {
      const std::string odd = oddity_of(folder_.root() / name);
      sources_.note_problem(name, name + ": " + (odd.empty() ? std::strerror(ENOENT) : odd));
      return false;
    }
    if (knows_as_it_is(found) && !always) {
      ++summary_.files_unchanged;
      return false;
    }
    TakenFile* file = nullptr;
    try {
      file = &ahead_->take_file(name);
    } catch (const base::Error& error) {
      // The rows of the file's earlier content stay in the database.
      skip_unreadable(name, error.what());
      return false;
    }
    if (sources_.has_content(name, file->sha256) && !always) {
      ++summary_.files_unchanged;
      return false;
    }
    ++summary_.files_read;
    Sources::Note note = read(*file, name);
    note.sha256 = file->sha256;
    sources_.note(name, std::move(note));
    return true;
  }

  void skip_unreadable(const std::string& name, const std::string& problem) {
    sources_.knows(name);  // marks the content in the database as still valid
    sources_.distrust(name);
    summary_.problems.push_back(problem + "; collect again when the file can be read");
  }

  void take_run(const FoundRun& found) {
    const bool has_new_description =
        read_if_changed(found.description, false, [&](TakenFile& file, const std::string& name) {
          return Sources::Note{.problems = take_run_json(found.run_id, file, name)};
        });
    for (const FoundLaunch& launch : found.launches) {
      ++summary_.launches;
      const LaunchKey key{found.run_id, launch.number, launch.log.name};
      if (is_imported_) {
        take_import(folder_.run(found.run_id), key);
      } else {
        take_launch(key, launch.log, has_new_description);
      }
    }
  }

  void take_launch(const LaunchKey& key, const FoundFile& log, bool has_new_description) {
    const LogFormat& format = format_of(key.run_id);
    if (!log.state.exists()) {
      rows_.replace_launch(key, {});  // the launch died before it wrote a results file
      const std::string odd = oddity_of(folder_.root() / log.name);
      if (!odd.empty()) sources_.note_problem(log.name, log.name + ": " + odd);
      return;
    }
    read_if_changed(
        log, (format.needs_run && has_new_description) || has_new_format_,
        [&](TakenFile& taken, const std::string&) { return take_results(key, format, taken); });
  }

  /// Writes the rows of a third-party log. The log is used only if it has not changed since it was
  /// imported.
  void take_import(const contract::RunDir& run, LaunchKey key) {
    const fs::path file = import_json(run.launch(key.launch));
    const std::string import_name = key.source = relative(file);
    sources_.look(import_name);
    try {
      const std::string text = base::read_file(file);
      const ImportRecord record = import_record_from_json(text, key.source);
      const bool same = knows_as_it_is(key.source);
      if (knows_as_it_is(record.path) && same) {
        ++summary_.files_unchanged;
        return;
      }
      if (log_path_ != record.path) {
        log_ = read_foreign(log_path_ = record.path);
        log_.text = without_launcher_prefixes(record, std::move(log_.text));
      }
      ++summary_.files_read;
      contract::ResultsFile content = read_import(record, run);
      link_launches(content, record, key.launch);
      const std::string problems = problems_of(record.path, content);
      sources_.note(key.source, {contract::sha256_hex(text), problems});
      key.source = record.path;
      rows_.replace_launch(key, content);
      foreign_rows_.insert(key, log_content_);
    } catch (const base::Error& error) {
      // The other logs are still processed if this log is unreadable.
      sources_.note_problem(import_name, error.what());
      contract::RunSpec spec;
      spec.run_id = key.run_id;
      rows_.replace_launch(key, failed_launch(spec, RunOutcome::Lost, error.what()));
    }
  }

  bool knows_as_it_is(const FoundFile& file) { return sources_.knows(file.name) && file.unchanged; }
  bool knows_as_it_is(const std::string& name) {
    const bool unchanged = sources_.is_unchanged(name);
    return sources_.knows(name) && unchanged;
  }

  contract::ResultsFile read_import(const ImportRecord& record, const contract::RunDir& run) {
    log_content_ = {};
    const fs::path file = run.run_json();
    contract::RunSpec spec = contract::run_spec_from_json(base::read_file(file), relative(file));
    keep_what_is_said(spec);
    if (!log_.problem.empty()) {
      const bool gone = log_.sha256.empty();
      gone ? sources_.drop(record.path) : sources_.note(record.path, {.sha256 = log_.sha256});
      std::string why = log_.problem;
      // Until the log can be read, the run is Lost, as it would be in a rebuilt database.
      if (log_.is_unreadable) {
        sources_.distrust(record.path);
        why += "; collect again when the file can be read";
      }
      return failed_launch(spec, gone ? RunOutcome::Lost : RunOutcome::Failed, why);
    }
    LogContent& content = log_content_;
    if (log_.sha256 == record.sha256) {
      content = read_log(record, log_.text, spec);
      complete_launch(content, spec);
    } else {
      // Otherwise a later import would treat the changed log as unchanged.
      sources_.distrust(record.path);
      content.file = failed_launch(spec, RunOutcome::Lost,
                                   "has changed since it was collected; collect it again with -o");
    }
    sources_.note(record.path, {.sha256 = log_.sha256, .truncated = content.file.truncated});
    return std::move(content.file);
  }

  const LogFormat& format_of(const std::string& run_id) {
    const auto position = plan_position(run_id);
    const std::string name =
        contract::log_format_name(position ? plan_.runs[*position] : contract::PlannedRun{});
    if (own_format_ && name == own_format_->entry().name) return own_format_->entry();
    return base::find(log_formats(), "log format", name);
  }

  /// Replaces the rows of a run by the content of its run.json. Returns the problem of that file,
  /// or an empty text.
  std::string take_run_json(const std::string& run_id, TakenFile& file, const std::string& name) {
    try {
      if (!file.description) file.description = contract::run_spec_from_json(file.text, name);
      contract::RunSpec& spec = *file.description;
      if (is_imported_) keep_what_is_said(spec);
      if (spec.run_id == run_id) {
        rows_.replace_run(spec, name);
        return "";
      }
      rows_.delete_run(run_id);
      return fmt::format("{}: ignored because it describes run {}", name, spec.run_id);
    } catch (const base::SpecError& error) {
      // The other files are still processed if this file is broken.
      rows_.delete_run(run_id);
      return error.what();
    }
  }

  Sources::Note take_results(const LaunchKey& key, const LogFormat& format, TakenFile& taken) {
    Sources::Note note;
    contract::RunSpec spec;
    const bool is_own = own_format_ && &format == &own_format_->entry();
    if (format.needs_run || is_own) {
      const fs::path file = folder_.run(key.run_id).run_json();
      try {
        spec = contract::run_spec_from_json(base::read_file(file), relative(file));
      } catch (const base::Error&) {
        note.problems = key.source + ": ignored because no readable file describes its run";
        return note;
      }
    }
    if (is_own) {
      taken.text = without_launcher_prefixes(std::move(taken.text), format.recognises);
      const LaunchFormat own(*own_format_, folder_.run(key.run_id).launch(key.launch), spec);
      LogContent content = own.entry().read(taken.text, spec);
      if (own_format_->is_mapped()) note.unused_patterns = std::move(content.unused_patterns);
      taken.results = std::move(content.file);
    } else if (!taken.results) {
      taken.text = without_launcher_prefixes(std::move(taken.text));
      taken.results = format.read(taken.text, spec).file;
    }
    contract::ResultsFile& file = *taken.results;
    note.problems = problems_in(key.source, file);
    for (const contract::ResultRecord& record : file.records) {
      const auto* start = std::get_if<contract::RunStart>(&record);
      if (start == nullptr || start->run_id == key.run_id) continue;
      note.problems += fmt::format("{}: ignored because it contains results of run {}\n",
                                   key.source, start->run_id);
      file = {};
      break;
    }
    rows_.replace_launch(key, file, printed_by(key));
    note.truncated = file.truncated;
    return note;
  }

  /// Returns the facts that NCCL printed in a launch. The output of an external trainer is in the
  /// launch folder. The output of dlscale-train is in a file of the job, which the launches of a
  /// run share. That file is used only if the run has a single launch.
  std::map<std::string, std::string> printed_by(const LaunchKey& key) const {
    const contract::RunDir run = folder_.run(key.run_id);
    const contract::LaunchDir launch = run.launch(key.launch);
    std::vector<fs::path> files{launch.out(), launch.err()};
    if (run.launches().size() == 1) {
      files.push_back(folder_.run_out(key.run_id));
      files.push_back(folder_.run_err(key.run_id));
    }
    return nccl_facts_in(files);
  }

  /// Deletes the rows of runs and launches whose files no longer exist. `before` lists the runs and
  /// launches that had rows before this collect.
  void forget_what_is_gone(KnownRows before) {
    for (const std::string& run_id : before.runs) {
      if (!sources_.exists(relative(folder_.run(run_id).run_json()))) rows_.delete_run(run_id);
    }
    for (const FoundRun& run : found_) {
      const auto known = before.launches.find(run.run_id);
      if (known == before.launches.end()) continue;
      for (const FoundLaunch& launch : run.launches) std::erase(known->second, launch.number);
    }
    for (const auto& [run_id, gone] : before.launches) {
      for (const int launch : gone) rows_.delete_launch(run_id, launch);
    }
  }

  /// Writes the description of a run that has no run.json yet, because its task of an array job has
  /// not started. The description comes from the run table of the array job. Returns true if that
  /// table contains a valid description.
  bool take_from_table(const std::string& run_id) {
    if (sources_.exists(relative(folder_.run(run_id).run_json()))) return false;
    const auto line = tables_.find(run_id);
    if (!line) return false;
    TakenFile described{.text = line->json};
    return take_run_json(run_id, described, relative(line->file)).empty();
  }

  /// Adds a row for each planned run that has no row yet, so that every run of the plan has a row.
  /// These are runs whose task has not started, and runs without a readable description.
  void add_unreadable_runs() {
    for (const contract::PlannedJob& job : plan_.jobs) {
      if (job.kind == contract::JobKind::array)
        sources_.look(relative(folder_.run_table(job.table)));
    }
    for (const contract::PlannedRun& planned : plan_.runs) {
      if (rows_.known().runs.contains(planned.run_id) || take_from_table(planned.run_id)) continue;
      rows_.insert_unreadable_run(planned, relative(folder_.run(planned.run_id).run_json()));
      unreadable_.insert(planned.run_id);
    }
  }

  void conclude() {
    NotedSoftware software;
    const NotedEnds ends = read_ends(plan_, folder_, sources_, summary_.problems, software);
    write_software(database_, folder_, software, sources_);
    EndRows rows(database_);
    for (const std::string& run_id : runs_) {
      const auto noted = ends.find(run_id);
      rows.conclude({run_id, plan_position(run_id), unreadable_.contains(run_id), is_imported_},
                    noted == ends.end() ? std::vector<EndRecord>() : noted->second);
    }
  }

  std::optional<int> plan_position(const std::string& run_id) const {
    const auto found = positions_.find(run_id);
    return found == positions_.end() ? std::nullopt : std::optional(found->second);
  }

  const contract::PlanDir& folder_;
  const contract::Plan& plan_;
  Sources& sources_;
  FolderWalk walk_;
  SQLite::Database& database_;
  RecordRows rows_;
  ForeignRows foreign_rows_;
  LogContent log_content_;  ///< content of the imported log that was read last
  std::set<std::string> runs_;
  std::set<std::string> unreadable_;  ///< planned runs without a readable description
  std::unordered_map<std::string, int> positions_;
  std::vector<FoundRun> found_;
  std::unique_ptr<ReadAhead> ahead_;
  contract::RunTables tables_;
  std::unique_ptr<DescribedFormat> own_format_;  ///< format that the study describes; null: none
  /// True if the format has changed since the previous collect, so that all logs are read again.
  bool has_new_format_ = false;
  const bool is_imported_;  ///< true if all runs are third-party logs
  /// Path of the log in `log_`, which is kept because a log may contain several runs.
  std::string log_path_;
  ForeignText log_;
  IngestSummary summary_;
};

}  // namespace

IngestSummary write_folder(const contract::PlanDir& folder, const contract::Plan& plan,
                           Sources& sources, SQLite::Database& database) {
  return FolderRows(folder, plan, sources, database).run();
}

}  // namespace dlscale::analysis
