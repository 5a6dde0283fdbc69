// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/ingest.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "analysis/store/collect_lock.hpp"
#include "analysis/store/folder_rows.hpp"
#include "analysis/store/sources.hpp"
#include "analysis/store/store.hpp"
#include "base/error.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Returns the path of the file to which a rebuild writes the new database. Other processes use the
/// old database until the new database is complete.
fs::path draft_of(const fs::path& database) {
  return database.string() + "-new";
}

void report(SQLite::Database& database, const Sources& sources, IngestSummary& summary) {
  sources.report(summary);
  SQLite::Statement query(database, "SELECT run_id FROM run WHERE plan_position IS NULL");
  while (query.executeStep()) summary.unplanned.push_back(query.getColumn(0));
}

/// Returns the summary of a collect that found no changed file.
IngestSummary unchanged_summary(SQLite::Database& database, const Sources& sources) {
  const auto count = [&](const char* of) { return database.execAndGet(of).getInt(); };
  IngestSummary summary;
  summary.launches = count("SELECT count(*) FROM launch");
  summary.files_unchanged =
      count("SELECT count(*) FROM run JOIN source ON path = run.source WHERE sha256 NOT NULL") +
      count(
          "SELECT count(*) FROM launch JOIN source ON path = launch.source WHERE sha256 NOT NULL");
  report(database, sources, summary);
  return summary;
}

/// Returns the summary if no file has changed since the previous collect. Returns an empty value if
/// a file has changed or if the database cannot be read.
std::optional<IngestSummary> find_unchanged(const contract::PlanDir& folder) {
  std::optional<IngestSummary> summary;
  try {
    Store store(folder.database(), Store::Access::Read);
    store.with([&](SQLite::Database& database) {
      const Sources sources(folder, database);
      if (sources.are_unchanged()) summary = unchanged_summary(database, sources);
    });
  } catch (const base::RunError&) {  // opening the database for writing will report the error
    return std::nullopt;
  }
  return summary;
}

}  // namespace

IngestSummary ingest(const contract::PlanDir& folder, bool rebuild) {
  const auto began = std::chrono::steady_clock::now();
  if (!rebuild) {
    if (auto summary = find_unchanged(folder)) return std::move(*summary);
  }
  const bool other_version = Store::is_of_other_version(folder.database());
  rebuild = rebuild || other_version;
  const FileState plan_state = state_of(AT_FDCWD, folder.plan_json().c_str());
  const contract::Plan plan = contract::read_plan(folder);
  const CollectLock lock(folder.database());
  const fs::path file = rebuild ? draft_of(folder.database()) : folder.database();
  if (rebuild) Store::remove(file);
  Store store(file, Store::Access::Write);
  const std::chrono::nanoseconds since = std::chrono::steady_clock::now() - began;
  const std::int64_t started_ns = lock.now_ns() - since.count();
  IngestSummary summary;
  store.with([&](SQLite::Database& database) {
    Sources sources(folder, database);
    sources.keep(folder.plan_json().lexically_relative(folder.root()), plan_state);
    summary = write_folder(folder, plan, sources, database);
    sources.write(started_ns);
    report(database, sources, summary);
  });
  if (rebuild) Store::replace(folder.database(), file);
  // File left by schema versions < 12.
  if (other_version) fs::remove(folder.database().string() + "-seen");
  summary.wrote = true;
  summary.other_version = other_version;
  return summary;
}

}  // namespace dlscale::analysis
