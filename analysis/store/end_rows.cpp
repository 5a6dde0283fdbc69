// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/end_rows.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/frame.hpp"
#include "analysis/import/foreign_log.hpp"
#include "analysis/store/launch_chain.hpp"
#include "analysis/store/sqlite_rows.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/software_record.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

struct EndFile {
  fs::path path;
  std::string name;  ///< path relative to the plan folder
  bool by_runner = false;
};

/// Returns the file launch.jsonl, which the runner writes, and the `.end` files of job scripts,
/// sorted by name. Checks the state of each file with `sources` before the file is read.
std::vector<EndFile> files_of(const contract::PlanDir& folder, Sources& sources) {
  const auto relative = [&](const fs::path& path) {
    return path.lexically_relative(folder.root()).generic_string();
  };
  const std::string logs = relative(folder.logs());
  std::vector<std::string> scripts;
  std::error_code ignored;
  if (sources.exists(logs)) {
    for (const auto& entry : fs::directory_iterator(folder.logs(), ignored)) {
      std::string name = entry.path().filename().string();
      if (!name.ends_with(".end") || name == ".end") continue;
      if (entry.is_regular_file(ignored)) {
        scripts.push_back(std::move(name));
      } else {
        const std::string odd = oddity_of(entry.path());
        const std::string path = logs + "/" + name;
        sources.note_problem(path, path + ": " + (odd.empty() ? "is a folder" : odd));
      }
    }
  }
  std::sort(scripts.begin(), scripts.end());
  std::vector<EndFile> files;
  const std::string launch_log = relative(folder.launch_log());
  if (sources.exists(launch_log)) files.push_back({folder.launch_log(), launch_log, true});
  for (const std::string& name : scripts) {
    files.push_back({folder.logs() / name, logs + "/" + name});
    sources.look(files.back().name);
  }
  return files;
}

std::vector<contract::LaunchRecord> records_in(const EndFile& file, Sources& sources,
                                               std::vector<std::string>& problems) {
  try {
    return contract::parse_launch_log(base::read_file(file.path));
  } catch (const base::Error& error) {  // the other files are still read if this file is broken
    sources.distrust(file.name);
    problems.push_back(std::string(error.what()) + "; collect again when the file can be read");
    return {};
  }
}

/// Numbers of the launches that each submission of a run started. An `ended` record names only its
/// submission. The numbers come from two kinds of records:
/// - `described`: a job script states the number of the launch that it starts.
/// - `submitting`: the runner states the number of the latest launch before the submission. The
///   launches of the submission have higher numbers.
class SubmittedLaunches {
 public:
  void add_record(const contract::LaunchRecord& record) {
    if (record.event == "described") {
      described_[{record.run_id, record.launch}] = record.launch_number;
      described_launches_.insert({record.run_id, record.launch_number});
    }
    if (record.event != "submitting" || record.launch.empty()) return;
    for (std::size_t i = 0; i < record.runs.size(); ++i) {
      const int earlier = i < record.launches.size() ? record.launches[i] : 0;
      submitted_[{record.runs[i], record.launch}] = earlier + 1;
    }
  }

  /// Returns the number of the last launch that the submission described. `launch` is the token of
  /// the submission. The token is empty if the user started the job script. Returns 0 if the
  /// submission described no launch.
  int last_described(const std::string& run_id, const std::string& launch) const {
    return number_in(described_, run_id, launch);
  }

  /// Returns EndRecord::first_launch for the end of the submission. Returns 0 if no record states a
  /// number.
  int first_launch(const std::string& run_id, const std::string& launch) const {
    if (launch.empty()) return 0;
    const int described = last_described(run_id, launch);
    return described > 0 ? described : number_in(submitted_, run_id, launch);
  }

  /// Returns true if the submission ended before it started a launch, and the launch with the next
  /// number belongs to another submission.
  bool started_nothing(const std::string& run_id, const std::string& launch) const {
    if (launch.empty() || last_described(run_id, launch) > 0) return false;
    return described_launches_.contains({run_id, number_in(submitted_, run_id, launch)});
  }

 private:
  /// Launch numbers by run id and token of the submission.
  using Numbers = std::map<std::pair<std::string, std::string>, int>;

  static int number_in(const Numbers& numbers, const std::string& run_id,
                       const std::string& launch) {
    const auto found = numbers.find({run_id, launch});
    return found == numbers.end() ? 0 : found->second;
  }

  Numbers described_, submitted_;
  std::set<std::pair<std::string, int>> described_launches_;
};

}  // namespace

NotedEnds read_ends(const contract::Plan& plan, const contract::PlanDir& folder, Sources& sources,
                    std::vector<std::string>& problems, NotedSoftware& software) {
  std::map<std::string, const contract::PlannedJob*> jobs;
  for (const contract::PlannedJob& job : plan.jobs) jobs[job.name] = &job;
  NotedEnds ends;
  SubmittedLaunches launches;
  using Scope = EndRecord::Scope;
  for (const EndFile& file : files_of(folder, sources)) {
    const auto& [path, source, by_runner] = file;
    for (const auto& record : records_in(file, sources, problems)) {
      launches.add_record(record);
      if (record.event == "described" && !record.software.empty()) {
        software[{record.run_id, record.launch_number}] = record.software;
      }
      if (record.event != "ended") continue;
      const Scope said = by_runner ? Scope::Run : Scope::Script;
      const auto job = jobs.find(record.job);
      if (!record.run_id.empty()) {
        // A job script records the number of a launch before it records the end of the launch.
        const int launch = by_runner ? 0 : launches.last_described(record.run_id, record.launch);
        ends[record.run_id].push_back({said, source, record, launch});
      } else if (job != jobs.end()) {
        // If the job contains only one run, the end of the job is the end of that run.
        const bool alone = job->second->run_ids.size() == 1;
        for (const std::string& run_id : job->second->run_ids) {
          ends[run_id].push_back({alone ? said : Scope::Job, source, record});
        }
      }
    }
  }
  // The files of the job scripts, which state most launch numbers, are read after launch.jsonl.
  for (auto& [run_id, records] : ends) {
    // The end of a submission that started no launch would otherwise count as the end of a launch
    // of another submission.
    std::erase_if(records, [&](const EndRecord& end) {
      return launches.started_nothing(run_id, end.record.launch);
    });
    for (EndRecord& end : records) {
      if (end.first_launch > 0) continue;
      end.first_launch = launches.first_launch(run_id, end.record.launch);
    }
  }
  return ends;
}

void write_software(SQLite::Database& database, const contract::PlanDir& folder,
                    const NotedSoftware& software, Sources& sources) {
  Inserter rows(database, "environment", {"run_id", "launch", "name", "value"}, "INSERT OR IGNORE");
  // Conditions by the name of the description that contains them.
  std::map<std::string, std::map<std::string, std::string>> conditions;
  for (const auto& [launch, name] : software) {
    const auto [known, is_new] = conditions.try_emplace(name);
    const fs::path file = folder.software_record(name);
    const std::string source = file.lexically_relative(folder.root()).generic_string();
    if (is_new && sources.exists(source)) {
      try {
        known->second = conditions_of(contract::software_from_json(base::read_file(file), source));
      } catch (const base::Error& error) {
        sources.note_problem(source, error.what());
      }
    } else if (is_new) {
      sources.note_problem(source, source + ": is missing");
    }
    for (const auto& [condition, value] : known->second) {
      rows.add(launch.first, launch.second, condition, value).done();
    }
  }
}

namespace {

using contract::RunOutcome;

struct LaunchRow {
  LaunchSeen seen;
  std::string source;  ///< path of the file that contains the launch's records
  LaunchEnd end;       ///< end of the launch that the table `launch` stores now
  /// Value of launch.counts_until that the table `launch` stores now.
  std::optional<std::int64_t> counts_until;
};

struct RunEnd {
  std::optional<int> plan_position;
  std::string outcome;
  std::optional<int> result_launch;
  bool operator==(const RunEnd&) const = default;
};

bool is_same(const LaunchEnd& a, const LaunchEnd& b) {
  return a.outcome == b.outcome && a.source == b.source && a.reason == b.reason;
}

}  // namespace

/// Prepared statements, and all rows of the tables `run` and `launch`. All rows are read at once,
/// because one query for each of ten thousand runs would take longer.
struct EndRows::Prepared {
  SQLite::Statement launch_end;
  SQLite::Statement launch_part;
  SQLite::Statement run_end;
  LaunchChains chains;
  std::unordered_map<std::string, std::vector<LaunchRow>> launches;
  std::unordered_map<std::string, RunEnd> runs;

  void read_rows(SQLite::Database& database) {
    SQLite::Statement query(database,
                            "SELECT run_id, launch, started, stop_outcome, stop_reason, source, "
                            "outcome, outcome_source, reason, counts_until FROM launch "
                            "ORDER BY run_id, launch");
    while (query.executeStep()) {
      const SQLite::Column started = query.getColumn(2);
      LaunchRow row;
      row.seen = {query.getColumn(1), started.isNull() ? std::nan("") : started.getDouble(),
                  contract::outcome_from_string(query.getColumn(3).getString()),
                  query.getColumn(4).getString()};
      row.source = query.getColumn(5).getString();
      row.end = {query.getColumn(6), query.getColumn(7), query.getColumn(8)};
      if (const SQLite::Column until = query.getColumn(9); !until.isNull()) {
        row.counts_until = until.getInt64();
      }
      launches[query.getColumn(0)].push_back(std::move(row));
    }
    SQLite::Statement run(database,
                          "SELECT run_id, plan_position, outcome, result_launch FROM run");
    while (run.executeStep()) {
      runs[run.getColumn(0)] = {optional_int(run.getColumn(1)), run.getColumn(2).getString(),
                                optional_int(run.getColumn(3))};
    }
  }

  void write(const std::string& run_id, int launch, const LaunchEnd& end) {
    launch_end.reset();
    launch_end.bind(1, end.outcome);
    launch_end.bind(2, end.source);
    launch_end.bind(3, end.reason);
    launch_end.bind(4, run_id);
    launch_end.bind(5, launch);
    launch_end.exec();
  }

  /// Writes which records of a launch are part of the result of the run.
  void write(const std::string& run_id, int launch, std::optional<std::int64_t> counts_until) {
    launch_part.reset();
    launch_part.clearBindings();
    if (counts_until) launch_part.bind(1, *counts_until);
    launch_part.bind(2, run_id);
    launch_part.bind(3, launch);
    launch_part.exec();
  }

  void write(const std::string& run_id, const RunEnd& end) {
    run_end.reset();
    run_end.clearBindings();
    if (end.plan_position) run_end.bind(1, *end.plan_position);
    run_end.bind(2, end.outcome);
    if (end.result_launch) run_end.bind(3, *end.result_launch);
    run_end.bind(4, run_id);
    run_end.exec();
  }
};

EndRows::EndRows(SQLite::Database& database)
    : prepared_(new Prepared{
          {database,
           "UPDATE launch SET outcome = ?, outcome_source = ?, reason = ? "
           "WHERE run_id = ? AND launch = ?"},
          {database, "UPDATE launch SET counts_until = ? WHERE run_id = ? AND launch = ?"},
          {database,
           "UPDATE run SET plan_position = ?, outcome = ?, result_launch = ? WHERE run_id = ?"},
          LaunchChains(database),
          {},
          {}}) {
  prepared_->read_rows(database);
}
EndRows::~EndRows() = default;

void EndRows::conclude(const ConcludedRun& run, const std::vector<EndRecord>& noted) {
  const std::vector<LaunchRow>& rows = prepared_->launches[run.run_id];
  std::vector<LaunchSeen> seen;
  for (const LaunchRow& row : rows) {
    seen.push_back(row.seen);
    if (run.imported) seen.back().source = row.source;
  }
  const std::vector<LaunchEnd> ends = decide_ends(seen, noted);
  LaunchEnd last = ends.empty() ? decide_without_launch(noted) : ends.back();
  std::optional<int> result_launch;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const int launch = seen[i].launch;
    if (!is_same(ends[i], rows[i].end)) prepared_->write(run.run_id, launch, ends[i]);
    if (ends[i].outcome != contract::to_string(RunOutcome::Completed)) continue;
    result_launch = launch;
    last = ends[i];
  }
  // The settings of an unreadable run are unknown, so its results cannot be used.
  if (run.unreadable) {
    last.outcome = kUnreadable;
    result_launch.reset();
  }
  std::map<int, std::int64_t> parts;  // counts_until by launch number
  if (result_launch) {
    for (const LaunchLink& link : prepared_->chains.chain_to(run.run_id, *result_launch)) {
      parts[link.launch] = link.until;
    }
  }
  for (const LaunchRow& row : rows) {
    const auto part = parts.find(row.seen.launch);
    const auto until = part == parts.end() ? std::nullopt : std::optional(part->second);
    if (until != row.counts_until) prepared_->write(run.run_id, row.seen.launch, until);
  }
  const RunEnd end{run.plan_position, last.outcome, result_launch};
  if (prepared_->runs[run.run_id] != end) prepared_->write(run.run_id, end);
}

}  // namespace dlscale::analysis
