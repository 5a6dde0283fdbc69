// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "analysis/store/schema.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/written_study.hpp"
#include "tests/support/skip.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::WrittenStudy;

/// Returns the one-line message of the base::RunError that `work` throws.
template <class Work>
std::string message_of(Work work) {
  try {
    work();
  } catch (const base::RunError& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a file that is not a database is rejected with a remedy and rebuilt on request") {
  WrittenStudy study;
  study.add("ddp", 1);
  base::write_file_atomically(study.folder.database(), std::string(5000, 'x'));
  const std::string message = message_of([&] { ingest(study.folder); });
  CHECK_THAT(message, Contains("results.sqlite") && Contains("--rebuild"));
  ingest(study.folder, true);
  CHECK(read_frame(study.folder).runs.size() == 1);
}

TEST_CASE("a damaged database is rejected with a remedy") {
  WrittenStudy study;
  study.add("ddp", 1);
  ingest(study.folder);
  std::string bytes = base::read_file(study.folder.database());
  std::fill(bytes.begin() + 100, bytes.end(), '\xff');
  base::write_file_atomically(study.folder.database(), bytes);
  CHECK_THAT(message_of([&] { ingest(study.folder); }), Contains("--rebuild"));
}

TEST_CASE("a database of another program is left unchanged") {
  WrittenStudy study;
  {
    SQLite::Database other(study.folder.database().string(),
                           SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE run (x); INSERT INTO run VALUES (1)");
  }
  const std::string before = base::read_file(study.folder.database());
  CHECK_THAT(message_of([&] { ingest(study.folder); }), Contains("not a database of dlscale"));
  CHECK_THAT(message_of([&] { read_frame(study.folder); }), Contains("not a database of dlscale"));
  CHECK(base::read_file(study.folder.database()) == before);
}

TEST_CASE("a database of another version is rebuilt from the files, which is reported") {
  WrittenStudy study;
  study.add("ddp", 1);
  CHECK_FALSE(ingest(study.folder).other_version);
  for (const char* version : {"11", "999"}) {
    {
      SQLite::Database database(study.folder.database().string(), SQLite::OPEN_READWRITE);
      database.exec(std::string("DROP VIEW run_view; DROP TABLE target; PRAGMA user_version = ") +
                    version);
    }
    CHECK_THAT(message_of([&] { read_frame(study.folder); }),
               Contains("written by another version of dlscale; rebuild it with dlscale collect"));
    const IngestSummary summary = ingest(study.folder);
    CHECK(summary.other_version);
    CHECK(summary.files_read == 2);
    CHECK(read_frame(study.folder).runs.size() == 1);
    SQLite::Database database(study.folder.database().string());
    CHECK(database.execAndGet("PRAGMA user_version").getInt() == kSchemaVersion);
    CHECK(database.execAndGet("SELECT count(*) FROM run_view").getInt() == 1);
    CHECK(database.execAndGet("SELECT count(*) FROM target").getInt() == 0);
  }
}

TEST_CASE("reading needs a collected database") {
  WrittenStudy study;
  CHECK_THAT(message_of([&] { read_frame(study.folder); }),
             Contains("results.sqlite: does not exist; run dlscale collect"));
}

TEST_CASE("a database that cannot be opened gives one line that names it") {
  WrittenStudy study;
  std::filesystem::create_directory(study.folder.database());
  CHECK_THAT(message_of([&] { ingest(study.folder); }),
             Contains("results.sqlite: cannot be opened"));
}

TEST_CASE("a folder without write access gives one line that names the database") {
  if (::geteuid() == 0) {
    test::skip("the superuser can write anywhere");
    return;
  }
  WrittenStudy study;
  ::chmod(study.folder.root().c_str(), 0555);
  const std::string message = message_of([&] { ingest(study.folder); });
  ::chmod(study.folder.root().c_str(), 0755);
  CHECK_THAT(message, Contains("results.sqlite: cannot be opened or written"));
}

TEST_CASE("a failing transaction leaves the database unchanged") {
  WrittenStudy study;
  study.add("ddp", 1);
  ingest(study.folder);
  Store store(study.folder.database(), Store::Access::Write);
  const std::string message = message_of([&] {
    store.with([](SQLite::Database& database) {
      database.exec("DELETE FROM run");
      database.exec("DELETE FROM no_such_table");
    });
  });
  CHECK_THAT(message, Contains("no_such_table"));
  CHECK(read_frame(study.folder).runs.size() == 1);
}

TEST_CASE("no write-ahead log is left next to the database") {
  WrittenStudy study;
  ingest(study.folder);
  SQLite::Database database(study.folder.database().string(), SQLite::OPEN_READONLY);
  CHECK(database.execAndGet("PRAGMA journal_mode").getString() == "delete");
  CHECK_FALSE(std::filesystem::exists(study.folder.database().string() + "-wal"));
}

}  // namespace dlscale::analysis
