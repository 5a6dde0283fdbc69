// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "analysis/store/schema.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Time in milliseconds to wait for another process that has locked the database, before an error
/// is reported.
constexpr int kBusyTimeoutMs = 15000;
/// Command that sets SQLite's page cache to 64 MiB (a negative number is in KiB). With the default
/// of 2 MB, a large collect would write pages to the file and read them back many times.
constexpr const char* kCache = "PRAGMA cache_size = -65536";
/// Command that sets the page size of a new file in bytes. In tables without row ids, the inner
/// nodes of a B-tree hold whole rows. With SQLite's default of 4 KB, only nine step windows fit
/// into a node, and the trees become twice as deep.
constexpr const char* kPages = "PRAGMA page_size = 16384";

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw base::RunError(fmt::format("{}: {}", file.string(), what));
}

/// Returns the end of an error message that explains an SQLite error and names a remedy.
std::string explain(const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return fmt::format(
          "is damaged or not a database ({}); rebuild it with dlscale collect --rebuild",
          error.what());
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is in use by another process; try again when that process has finished";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return fmt::format("cannot be opened or written ({}); check the permissions of the folder",
                         error.what());
    default:
      return error.what();
  }
}

template <class Work>
void translated(const fs::path& file, const Work& work) {
  try {
    work();
  } catch (const SQLite::Exception& error) {
    fail(file, explain(error));
  }
}

void check_origin(SQLite::Database& database, const fs::path& file, Store::Access access) {
  const int id = database.execAndGet("PRAGMA application_id");
  const int tables = database.execAndGet("SELECT count(*) FROM sqlite_master");
  if (id != kApplicationId && (tables > 0 || access == Store::Access::Read)) {
    fail(file, "is not a database of dlscale; replace it with dlscale collect --rebuild");
  }
  const int version = database.execAndGet("PRAGMA user_version");
  if (version != kSchemaVersion && tables > 0) {
    fail(file, "was written by another version of dlscale; rebuild it with dlscale collect");
  }
}

}  // namespace

Store::Store(const fs::path& file, Access access) : file_(file), access_(access) {
  if (access_ == Access::Read && !fs::exists(file_)) {
    fail(file_, "does not exist; run dlscale collect on its folder first");
  }
  translated(file_, [&] {
    const bool write = access_ == Access::Write;
    database_ = std::make_unique<SQLite::Database>(
        file_.string(),
        (write ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE : SQLite::OPEN_READONLY) |
            SQLite::OPEN_NOMUTEX,  // no mutex is needed, because threads never share a connection
        kBusyTimeoutMs);
    check_origin(*database_, file_, access_);
    if (!write) return;
    database_->exec(kPages);
    database_->exec("PRAGMA journal_mode = DELETE");
    database_->exec(kCache);
    create_schema(*database_);
  });
}

Store::~Store() = default;

void Store::with(const std::function<void(SQLite::Database&)>& work) {
  translated(file_, [&] {
    SQLite::Transaction transaction(*database_, access_ == Access::Write
                                                    ? SQLite::TransactionBehavior::IMMEDIATE
                                                    : SQLite::TransactionBehavior::DEFERRED);
    work(*database_);
    transaction.commit();
  });
}

bool Store::is_of_other_version(const fs::path& file) {
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
    const int id = database.execAndGet("PRAGMA application_id");
    const int version = database.execAndGet("PRAGMA user_version");
    return id == kApplicationId && version != kSchemaVersion;
  } catch (const SQLite::Exception&) {
    return false;  // the error is reported when the file is opened for use
  }
}

void Store::remove(const fs::path& file) {
  for (const char* ending : {"", "-journal"}) {
    std::error_code error;
    fs::remove(file.string() + ending, error);
    if (error) fail(file, "cannot be deleted: " + error.message());
  }
}

void Store::replace(const fs::path& file, const fs::path& by) {
  std::error_code error;
  // A killed writer of `file` may have left its journal.
  fs::remove(file.string() + "-journal", error);
  if (!error) fs::rename(by, file, error);
  if (error) fail(file, "cannot be replaced: " + error.message());
}

}  // namespace dlscale::analysis
