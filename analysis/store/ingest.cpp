// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/ingest.hpp"

#include <chrono>
#include <filesystem>
#include <utility>

#include "analysis/store/collect_lock.hpp"
#include "analysis/store/folder_rows.hpp"
#include "analysis/store/seen_files.hpp"
#include "analysis/store/store.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Where a rebuild makes the database, so that others see the one before until it is whole.
fs::path draft_of(const fs::path& database) {
  return database.string() + "-new";
}

}  // namespace

IngestSummary ingest(const contract::PlanDir& folder, bool rebuild) {
  const auto began = std::chrono::steady_clock::now();
  SeenFiles seen(folder);
  if (rebuild) seen.forget();
  if (const auto summary = seen.unchanged_summary()) return *summary;
  seen.look(folder.plan_json().lexically_relative(folder.root()));
  const contract::Plan plan = contract::read_plan(folder);
  const CollectLock lock(folder.database());
  const fs::path file = rebuild ? draft_of(folder.database()) : folder.database();
  if (rebuild) Store::remove(file);
  Store store(file, Store::Access::Write);
  const std::int64_t now_ns = begin_note(folder.database());
  const std::chrono::nanoseconds since = std::chrono::steady_clock::now() - began;
  IngestSummary summary;
  store.with([&](SQLite::Database& database) {
    seen.forget_unless_current();
    summary = write_folder(folder, plan, seen, database);
  });
  if (rebuild) Store::replace(folder.database(), file);
  CollectNote note = seen.note(now_ns - since.count(), summary);
  note.summary.files_unchanged += std::exchange(note.summary.files_read, 0);
  write_note(folder.database(), note);
  summary.wrote = true;
  return summary;
}

}  // namespace dlscale::analysis
