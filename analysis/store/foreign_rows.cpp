// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/foreign_rows.hpp"

#include <optional>

#include "analysis/store/sqlite_inserter.hpp"

namespace dlscale::analysis {
namespace {

/// What nobody says is NULL.
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

}  // namespace dlscale::analysis
