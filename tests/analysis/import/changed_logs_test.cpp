// SPDX-License-Identifier: Apache-2.0
// Logs that are rewritten, that lie below folders of other names, or are no files; and what books
// and benchmarks say.
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

/// Puts in place of a file one that is there and that nobody can read.
void make_unreadable(const fs::path& file) {
  fs::rename(file, file.parent_path().parent_path().parent_path() / "aside");
  fs::create_symlink("/proc/self/mem", file);  // nothing is at its beginning
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

/// Two runs of which the first one's log cannot be read any more.
struct OneLogLost : LogFolder {
  fs::path file = write_step("b16_g2/run1.csv", 0.1);
  OneLogLost() {
    write_step("b16_g2/run2.csv", 0.2);
    collect();
    make_unreadable(file);
  }
};

}  // namespace

TEST_CASE("a log that cannot be read makes its run lost, also in a database made anew") {
  const OneLogLost logs;
  const std::string why = "cannot be read: Input/output error; collect again when it can be read";
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

TEST_CASE("a log that cannot be read is named when it is imported, and its run stays") {
  OneLogLost logs;
  const ImportSummary again = logs.import();
  REQUIRE(again.skipped.size() == 1);
  CHECK(again.skipped[0].shown == logs.file.string());
  CHECK(again.skipped[0].why == "cannot be read: Input/output error");
  CHECK_FALSE(again.is_complete());
  CHECK(again.unchanged == 2);
}

TEST_CASE("a log that cannot be read and is not known is named, by its own name an error") {
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

TEST_CASE("a run of a table with a loss that is not finite keeps its rows, and diverged") {
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

TEST_CASE("a log that was rewritten with the size and time it had is read again") {
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

TEST_CASE("a log that a collect of the folder found rewritten is read again when it is imported") {
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

TEST_CASE("of several matches of an axis in a path the nearest to the file counts") {
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
  CHECK_FALSE(point.contains("first"));  // the path does not begin so
}

TEST_CASE("pipes and links to nothing among the logs are named and passed over") {
  LogFolder logs;
  const fs::path folder = fs::path(logs.write_step("b16_g2/run1.csv")).parent_path();
  REQUIRE(::mkfifo((folder / "a.csv").c_str(), 0600) == 0);
  fs::create_symlink("nowhere", folder / "b.csv");
  fs::create_symlink("run1.csv", folder / "run2.csv");
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  CHECK(summary.joined.size() == 1);  // the link to the log is the same log
  std::map<std::string, std::string> reasons;
  for (const SkippedLog& log : summary.skipped) reasons[log.shown] = log.why;
  CHECK(reasons == std::map<std::string, std::string>{
                       {(folder / "a.csv").string(), "is a pipe, not a file"},
                       {(folder / "b.csv").string(), "is a link to a missing file"}});
}

TEST_CASE("what books and benchmarks say of runs is theirs in the frame") {
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
  CHECK(std::isnan(jobs["8"].waited_s));  // clocks were set back, or the books are wrong
  CHECK(std::isnan(jobs["9"].waited_s));
  CHECK(jobs["9"].elapsed_s == 0);
  CHECK(first_metrics(frame) == std::vector<std::string>{"jobs"});
}

}  // namespace dlscale::analysis
