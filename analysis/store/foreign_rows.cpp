// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/foreign_rows.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cmath>
#include <optional>

#include "analysis/import/formats/sacct_text.hpp"
#include "analysis/store/sqlite_rows.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the text, or an empty value for an empty text. An empty value is stored as NULL.
std::optional<std::string> said(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

struct ForeignRows::Prepared {
  Inserter collectives;
  Inserter jobs;
};

ForeignRows::ForeignRows(SQLite::Database& database)
    : prepared_(new Prepared{
          {database,
           "collective",
           {"run_id", "launch", "position", "line", "collective", "in_place", "size_bytes", "count",
            "type", "redop", "root", "time_s", "algbw_gb_per_s", "busbw_gb_per_s", "wrong"}},
          {database,
           "job",
           {"run_id",           "launch",    "line",     "job_id", "name",
            "cluster",          "partition", "account",  "state",  "exit_code",
            "signal",           "submitted", "started",  "ended",  "elapsed_s",
            "timelimit_s",      "nodes",     "cpus",     "gpus",   "requested_memory_bytes",
            "max_memory_bytes", "cpu_s",     "energy_j", "hosts"}}}) {}
ForeignRows::~ForeignRows() = default;

void ForeignRows::insert(const LaunchKey& key, const LogContent& content) {
  int position = 0;
  Inserter& row = prepared_->collectives;
  for (const CollectiveResult& r : content.collectives) {
    row.add(key.run_id, key.launch, ++position, r.line, said(r.collective), r.in_place);
    row.add(r.size_bytes, r.count, r.type, r.redop, r.root, r.time_s);
    row.add(r.algbw_gb_per_s, r.busbw_gb_per_s, r.wrong).done();
  }
  Inserter& job = prepared_->jobs;
  for (const AccountedJob& j : content.jobs) {
    job.add(key.run_id, key.launch, j.line, j.job_id, said(j.name), said(j.cluster));
    job.add(said(j.partition), said(j.account), j.state, j.exit_code, j.signal);
    job.add(said(j.submitted), said(j.started), said(j.ended), j.elapsed_s, j.timelimit_s);
    job.add(j.nodes, j.cpus, j.gpus, j.requested_memory_bytes, j.max_memory_bytes);
    job.add(j.cpu_s, j.energy_j, said(j.hosts)).done();
  }
}

namespace {

/// Returns the seconds from `submitted` to `started`. Returns NaN if one of the times is missing,
/// or if `started` is earlier because a clock was set back. SLURM and OAR write times in the same
/// format, except that times of OAR end in "Z".
double seconds_between(const std::string& submitted, const std::string& started) {
  const auto from = sacct::clock_time(submitted), to = sacct::clock_time(started);
  return from && to && *to >= *from ? *to - *from : std::nan("");
}

}  // namespace

ForeignReader::ForeignReader(SQLite::Database& database) {
  SQLite::Statement job(database,
                        "SELECT run_id, partition, submitted, started, elapsed_s, timelimit_s, "
                        "gpus, requested_memory_bytes, max_memory_bytes, energy_j FROM job");
  while (job.executeStep()) {
    JobRow row;
    row.partition = text_or_empty(job.getColumn(1));
    row.waited_s =
        seconds_between(text_or_empty(job.getColumn(2)), text_or_empty(job.getColumn(3)));
    row.elapsed_s = number_or_nan(job.getColumn(4));
    row.timelimit_s = number_or_nan(job.getColumn(5));
    row.gpus = number_or_nan(job.getColumn(6));
    row.requested_memory_bytes = number_or_nan(job.getColumn(7));
    row.max_memory_bytes = number_or_nan(job.getColumn(8));
    row.energy_j = number_or_nan(job.getColumn(9));
    jobs_[job.getColumn(0).getString()] = std::move(row);
  }
  SQLite::Statement result(database,
                           "SELECT run_id, collective, type, in_place, size_bytes, time_s, "
                           "algbw_gb_per_s, busbw_gb_per_s, wrong FROM collective "
                           "ORDER BY run_id, launch, position");
  while (result.executeStep()) {
    collectives_[result.getColumn(0).getString()].push_back(
        {text_or_empty(result.getColumn(1)), text_or_empty(result.getColumn(2)),
         result.getColumn(3).getInt() != 0, result.getColumn(4).getInt64(),
         number_or_nan(result.getColumn(5)), number_or_nan(result.getColumn(6)),
         number_or_nan(result.getColumn(7)), number_or_nan(result.getColumn(8))});
  }
}

void ForeignReader::read(RunRow& run) {
  const auto job = jobs_.find(run.run_id);
  if (job != jobs_.end()) run.job = std::move(job->second);
  const auto results = collectives_.find(run.run_id);
  if (results == collectives_.end()) return;
  run.collectives = std::move(results->second);
  const auto axis = run.point.find("collective");  // an axis that was read from the path of the log
  for (CollectiveRow& row : run.collectives) {
    if (row.collective.empty() && axis != run.point.end()) row.collective = axis->second;
  }
}

}  // namespace dlscale::analysis
