// SPDX-License-Identifier: Apache-2.0
// Tests of logs that change, of paths above the logs, of special files, and of accounting and
// benchmark logs.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "analysis/import/foreign_log.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "analysis/store/sources.hpp"
#include "tests/analysis/support/clock.hpp"
#include "tests/analysis/support/database_dump.hpp"
#include "tests/analysis/support/log_folder.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::LogFolder;
namespace fs = std::filesystem;

/// Replaces a file by a link to an unreadable file.
void make_unreadable(const fs::path& file) {
  fs::rename(file, file.parent_path().parent_path().parent_path() / "aside");
  fs::create_symlink("/proc/self/mem", file);  // reading at offset 0 fails
}

std::multiset<std::string> rows_of(const contract::PlanDir& folder) {
  std::istringstream text(test::dump_all(folder));
  std::multiset<std::string> rows;
  for (std::string row; std::getline(text, row);) rows.insert(row);
  return rows;
}

void make_readable(const fs::path& file) {
  fs::remove(file);
  fs::rename(file.parent_path().parent_path().parent_path() / "aside", file);
}

/// Two imported runs. The log of the first run is no longer readable.
struct OneLogLost : LogFolder {
  fs::path file = write_step("b16_g2/run1.csv", 0.1);
  OneLogLost() {
    write_step("b16_g2/run2.csv", 0.2);
    collect();
    make_unreadable(file);
  }
};

}  // namespace

TEST_CASE("an unreadable log makes its run lost, even after rebuilding the database") {
  const OneLogLost logs;
  const std::string why =
      "cannot be read: Input/output error; collect again when the file can be read";
  CHECK(ingest(logs.folder).problems == std::vector<std::string>{logs.file.string() + ": " + why});
  CHECK(read_frame(logs.folder).runs[0].outcome == "Lost");
  CHECK(read_frame(logs.folder).runs[1].outcome == "Completed");
  const auto after = rows_of(logs.folder);
  ingest(logs.folder, true);
  CHECK(rows_of(logs.folder) == after);
  make_readable(logs.file);
  CHECK(ingest(logs.folder).problems.empty());
  CHECK(read_frame(logs.folder).runs[0].outcome == "Completed");
}

TEST_CASE("an unreadable log is named on import, and its run stays") {
  OneLogLost logs;
  const ImportSummary again = logs.import();
  REQUIRE(again.skipped.size() == 1);
  CHECK(again.skipped[0].shown == logs.file.string());
  CHECK(again.skipped[0].why == "cannot be read: Input/output error");
  CHECK_FALSE(again.is_complete());
  CHECK(again.unchanged == 2);
}

TEST_CASE("an unreadable new log is named, and is an error if given by its path") {
  LogFolder logs;
  const fs::path file = logs.write_step("b16_g2/run1.csv", 0.1);
  make_unreadable(file);
  const std::string why = file.string() + ": cannot be read: Input/output error";
  CHECK_THAT(logs.error(), Contains(why));
  logs.request.mapped = {};
  CHECK_THAT(logs.error(), Contains(why));
  logs.request.logs = {file.string()};
  CHECK(logs.error() == why);
  CHECK_FALSE(fs::exists(logs.folder.root()));
}

TEST_CASE("a run with a non-finite loss in a table keeps its rows and is marked as diverged") {
  LogFolder logs;
  logs.request.stated = {"gpus=2", "global_batch=16"};
  logs.request.axes.clear();
  logs.request.mapped.columns = {
      {"epoch", "epoch"}, {"wall_s", "s"}, {"samples", "n"}, {"loss", "loss"}, {"accuracy", "acc"}};
  logs.request.logs = {
      logs.write("a.csv", "epoch,s,n,loss,acc\n0,2,16,4.5,0.75\n1,2,16,nan,0.01\n")};
  CHECK(logs.collect().runs.at(0).outcome == "Diverged");
  SQLite::Database database(logs.folder.database().string(), SQLite::OPEN_READONLY);
  CHECK(database.execAndGet("SELECT sum(wall_s) FROM step_window").getDouble() == 4);
  CHECK(database.execAndGet("SELECT accuracy FROM eval WHERE epoch = 1").getDouble() == 0.01);
  const IngestSummary summary = ingest(logs.folder, true);
  REQUIRE(summary.problems.size() == 1);
  CHECK_THAT(summary.problems[0], Contains("the training loss is not finite from line 3 on"));
}

TEST_CASE("a rewritten log with the same size and time is read again") {
  LogFolder logs;
  const std::string path = logs.write_step("b16_g2/run1.csv", 0.1);
  logs.write_step("b16_g2/run2.csv", 0.3);
  logs.collect();
  const FileStamp before = stamp_of(path);
  const auto time = fs::last_write_time(path);
  logs.write_step("b16_g2/run1.csv", 0.2);
  fs::last_write_time(path, time);
  REQUIRE(stamp_of(path) == before);
  const ImportSummary again = logs.import();
  CHECK(again.changed == 1);
  CHECK(again.unchanged == 1);
  CHECK(ingest(logs.folder).problems.empty());
  const RunRow run = read_frame(logs.folder).runs.at(0);
  CHECK(run.outcome == "Completed");
  CHECK(run.steps.parts_s[0] == Approx((0.2 + 0.5) / 2));
}

TEST_CASE("a log that collect found rewritten is read again on the next import") {
  LogFolder logs;
  const std::string path = logs.write_step("b16_g2/run1.csv", 0.1);
  logs.collect();
  const auto time = fs::last_write_time(path);
  logs.write_step("b16_g2/run1.csv", 0.2);
  fs::last_write_time(path, time);
  REQUIRE(ingest(logs.folder).problems.size() == 1);
  test::let_time_pass(logs.folder);
  const std::set<std::string> unchanged = unchanged_paths(logs.folder);
  CHECK_FALSE(unchanged.empty());
  CHECK_FALSE(unchanged.contains(path));
  const ImportSummary again = import_logs(
      logs.request, logs.folder, [&](const std::string& log) { return unchanged.contains(log); });
  CHECK(again.changed == 1);
  CHECK(ingest(logs.folder).problems.empty());
  CHECK(read_frame(logs.folder).runs.at(0).outcome == "Completed");
}

TEST_CASE("the axis match nearest to the file name is used") {
  LogFolder logs;
  logs.request.axes = {"gpus=_g(\\d+)/", "global_batch=b(\\d+)_",
                       "name=([^/]*)$",  "above=(?<=/)(\\w+)/b\\d+_g2/",
                       "first=^(g\\d+)", "pair=(\\d)_g"};
  logs.request.logs = {logs.write_step("g7/b9_g8/g3x/b16_g2/run1.csv")};
  const AxisValues point = logs.collect().runs.at(0).point;
  CHECK(point.at("gpus") == "2");
  CHECK(point.at("global_batch") == "16");
  CHECK(point.at("name") == "run1.csv");
  CHECK(point.at("above") == "g3x");
  CHECK(point.at("pair") == "6");
  CHECK_FALSE(point.contains("first"));  // folders above the named folder are not matched
}

TEST_CASE("pipes and broken links among the logs are named and skipped") {
  LogFolder logs;
  const fs::path folder = fs::path(logs.write_step("b16_g2/run1.csv")).parent_path();
  REQUIRE(::mkfifo((folder / "a.csv").c_str(), 0600) == 0);
  fs::create_symlink("nowhere", folder / "b.csv");
  fs::create_symlink("run1.csv", folder / "run2.csv");
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  CHECK(summary.joined.size() == 1);  // the link and the log are the same log
  std::map<std::string, std::string> reasons;
  for (const SkippedLog& log : summary.skipped) reasons[log.shown] = log.why;
  CHECK(reasons == std::map<std::string, std::string>{
                       {(folder / "a.csv").string(), "is a pipe, not a file"},
                       {(folder / "b.csv").string(), "is a link to a missing file"}});
}

TEST_CASE("the frame has the values of accounting and benchmark logs") {
  LogFolder logs;
  logs.request = {
      .logs = {
          logs.write("jobs.txt",
                     "JobID|State|Partition|Submit|Start|Elapsed|AllocTRES\n"
                     "7|COMPLETED|gpu|2026-01-29T23:50:00|2026-01-30T00:10:00|02:00:00|gres/gpu=4\n"
                     "8|FAILED|gpu|2026-01-29T10:00:00|2026-01-29T09:59:00|01:00:00|gres/gpu=8\n"
                     "9|CANCELLED|cpu|2026-01-29T10:00:00|Unknown|00:00:00|cpu=4\n")}};
  const Frame frame = logs.collect();
  std::map<std::string, JobRow> jobs;
  for (const RunRow& run : frame.runs) jobs[run.point.at("job_id")] = run.job.value();
  REQUIRE(jobs.size() == 3);
  CHECK(jobs["7"].partition == "gpu");
  CHECK(jobs["7"].waited_s == 1200);
  CHECK(jobs["7"].gpus == 4);
  CHECK(jobs["7"].elapsed_s == 7200);
  CHECK(std::isnan(jobs["8"].waited_s));  // the clock was set back, or the accounting is wrong
  CHECK(std::isnan(jobs["9"].waited_s));
  CHECK(jobs["9"].elapsed_s == 0);
  CHECK(first_metrics(frame) == std::vector<std::string>{"jobs"});
}

}  // namespace dlscale::analysis
