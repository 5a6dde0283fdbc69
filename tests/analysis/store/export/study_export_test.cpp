// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/export/study_export.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "analysis/store/ingest.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using Catch::StartsWith;
namespace fs = std::filesystem;

/// Study with two runs, whose results have been collected.
struct Collected {
  Collected() {
    runs = {study.add("ddp", 1), study.add("synchronous", 2)};
    ingest(study.folder);
  }
  ExportRequest request(const std::string& format, const std::string& name) const {
    return {&find_export_format(format), out.path() / name, {}, runs, false};
  }
  std::string text(const std::string& file) const { return base::read_file(out / file); }

  test::WrittenStudy study;
  std::set<std::string> runs;
  test::TempDir out;
};

std::string line(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int i = 0; i < number; ++i) begin = text.find('\n', begin) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("each number of a CSV export has its file, the SHA-256 of the file and the line") {
  const Collected it;
  const auto written = export_study(it.study.folder, it.request("csv", "views"));
  CHECK(written.size() >= 4);
  const std::string windows = it.text("views/step_window.csv");
  CHECK_THAT(line(windows, 0), StartsWith("repetition,gpus,global_batch,framework,model,run_id,"));
  CHECK_THAT(line(windows, 0), Contains(",line,") && Contains(",source,sha256"));
  CHECK_THAT(line(windows, 1),
             Contains("ddp-g1-r1,1,2,") && Contains(",runs/ddp-g1-r1/launch-1/results.jsonl,"));
  CHECK_THAT(windows, Contains(",synchronous,"));
  CHECK_THAT(it.text("views/run.csv"), Contains("Completed"));
}

TEST_CASE("JSON lines have the same values with null for missing values") {
  const Collected it;
  export_study(it.study.folder, it.request("jsonl", "views"));
  const std::string first = line(it.text("views/step_window.jsonl"), 0);
  CHECK_THAT(first, StartsWith("{\"repetition\":1,\"gpus\":1,"));
  CHECK_THAT(first, Contains("\"extra\":null") && Contains("\"samples_per_s\":50.0"));
  CHECK_THAT(it.text("views/step_window.jsonl"), Contains("\"synchronous\""));
}

TEST_CASE("a SQLite export has a table for each view with native types") {
  const Collected it;
  const auto written = export_study(it.study.folder, it.request("sqlite", "x/views.sqlite"));
  REQUIRE(written.size() == 1);
  SQLite::Database database((it.out / "x/views.sqlite").string(), SQLite::OPEN_READONLY);
  const auto value = [&](const std::string& query) {
    return database.execAndGet(query).getString();
  };
  CHECK(value("SELECT count(*) FROM step_window") == "6");
  CHECK(value("SELECT typeof(samples_per_s) FROM step_window") == "real");
  CHECK(value("SELECT typeof(extra) FROM step_window") == "null");
  CHECK(value("SELECT type FROM pragma_table_info('step_window') WHERE name = 'wall_s'") == "REAL");
  CHECK(value("SELECT type FROM pragma_table_info('step_window') WHERE name = 'extra'") == "TEXT");
  CHECK(value("SELECT group_concat(framework, '|') FROM run") == "ddp|synchronous");
  CHECK(value("PRAGMA integrity_check") == "ok");
}

TEST_CASE("an export states which records are part of the result of a run") {
  Collected it;
  const std::string run_id = it.study.plan_run("ddp", 4);
  it.study.launch(run_id, 4, {100, 0.5, contract::RunOutcome::Failed});
  it.study.launch(run_id, 4, {200, 0.6});
  const std::string failed = it.study.add("ddp", 8, {100, 0.5, contract::RunOutcome::OutOfMemory});
  it.runs = {run_id, failed};
  ingest(it.study.folder);
  export_study(it.study.folder, it.request("sqlite", "views.sqlite"));
  SQLite::Database database((it.out / "views.sqlite").string(), SQLite::OPEN_READONLY);
  for (const std::string view : {"step_window", "epoch", "eval"}) {
    INFO(view);
    const auto launches = [&](const std::string& where) {
      return database
          .execAndGet("SELECT group_concat(DISTINCT run_id || ' ' || launch) FROM " + view +
                      " WHERE " + where)
          .getString();
    };
    CHECK(launches("counts = 1") == run_id + " 2");
    CHECK(launches("counts = 0") == run_id + " 1," + failed + " 1");
  }
}

TEST_CASE("rows of unselected runs and views are left out") {
  const Collected it;
  ExportRequest request = it.request("csv", "views");
  request.runs = {"ddp-g1-r1"};
  request.views = {"epoch"};
  const auto written = export_study(it.study.folder, request);
  REQUIRE(written.size() == 1);
  CHECK(written[0].rows.front().second == 1);
  CHECK_THAT(it.text("views/epoch.csv"), Contains("ddp-g1-r1") && !Contains("chronous"));
  CHECK_FALSE(fs::exists(it.out / "views/run.csv"));
}

TEST_CASE("repeating an export gives the same bytes and requires permission to replace files") {
  const Collected it;
  for (const std::string format : {"csv", "jsonl", "sqlite"}) {
    ExportRequest request = it.request(format, format);
    const fs::path file = export_study(it.study.folder, request).front().file;
    const std::string before = base::read_file(file);
    CHECK_THROWS_WITH(export_study(it.study.folder, request),
                      Contains(file.string() + ": already exists; replace it with --force"));
    request.replace = true;
    export_study(it.study.folder, request);
    CHECK((base::read_file(file) == before));
  }
  CHECK(std::distance(fs::directory_iterator(it.out.path()), {}) == 3);  // no temporary files
}

TEST_CASE("a failed export leaves no files and keeps existing ones") {
  const Collected it;
  base::write_file_atomically(it.out / "file", "mine");
  CHECK_THROWS_WITH(export_study(it.study.folder, it.request("csv", "file")),
                    Contains("is a file, but the format csv needs a folder"));
  ExportRequest request = it.request("csv", "views");
  request.views = {"step_windw"};
  CHECK_THROWS_WITH(export_study(it.study.folder, request),
                    Contains("--view: unknown view \"step_windw\"; did you mean \"step_window\"?"));
  CHECK_THROWS_WITH(find_export_format("cvs"), Contains("did you mean \"csv\"?"));
  CHECK(it.text("file") == "mine");
  CHECK(std::distance(fs::directory_iterator(it.out.path()), {}) == 1);
}

TEST_CASE("a folder that was not collected cannot be exported") {
  const test::WrittenStudy study;
  const test::TempDir out;
  CHECK_THROWS_WITH(
      export_study(study.folder, {&find_export_format("csv"), out / "x", {}, {}, false}),
      Contains("run dlscale collect"));
}

}  // namespace dlscale::analysis
