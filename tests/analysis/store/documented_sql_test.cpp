// SPDX-License-Identifier: Apache-2.0
// Tests of the SQL queries in docs/results-format.md.
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "analysis/store/ingest.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

std::vector<std::string> documented_queries() {
  const std::string page = base::read_file(DLSCALE_SOURCE_DIR "/docs/results-format.md");
  const std::string begin = "```sql\n", end = "```\n";
  std::vector<std::string> queries;
  for (std::size_t at = page.find(begin); at != page.npos; at = page.find(begin, at)) {
    at += begin.size();
    queries.push_back(page.substr(at, page.find(end, at) - at));
  }
  return queries;
}

}  // namespace

TEST_CASE("the documented SQL queries have results") {
  test::WrittenStudy study;
  study.add("ddp", 1);
  study.add("ddp", 1, {}, 2);
  study.add("synchronous", 2);
  ingest(study.folder);
  SQLite::Database database(study.folder.database().string(), SQLite::OPEN_READWRITE);
  database.exec("UPDATE run SET loader = 'memory'; UPDATE eval SET accuracy = 0.95;");
  database.exec("INSERT OR REPLACE INTO run_axis SELECT run_id, 'lr.base', '0.1' FROM run;");
  const std::vector<std::string> queries = documented_queries();
  REQUIRE(queries.size() == 3);
  std::vector<int> rows;
  for (const std::string& text : queries) {
    SQLite::Statement query(database, text);
    for (rows.push_back(0); query.executeStep(); ++rows.back()) {
      for (int i = 0; i < query.getColumnCount(); ++i) {
        INFO(query.getColumnName(i));
        CHECK_FALSE(query.isColumnNull(i));
      }
    }
  }
  CHECK(rows == std::vector<int>{3, 2, 1});
}

}  // namespace dlscale::analysis
