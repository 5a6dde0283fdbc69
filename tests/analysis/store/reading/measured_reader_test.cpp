// SPDX-License-Identifier: Apache-2.0
// Tests of the quantities that programs measured, from the records to the rows of runs.
#include "analysis/store/reading/measured_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "analysis/store/record_rows.hpp"
#include "analysis/store/schema.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

using MeasuredMeans = std::map<MeasuredColumn, double>;

/// Returns a window of 10 steps that took `wall_s` seconds.
contract::StepWindow measured_window(std::int64_t first_step, double wall_s, double mfu) {
  contract::StepWindow window;
  window.first_step = first_step;
  window.steps = 10;
  window.samples = 640;
  window.wall_s = wall_s;
  window.warmup = first_step == 0;
  window.measured = {{"mfu", mfu}};
  return window;
}

contract::EpochRecord measured_epoch(int epoch, double norm) {
  contract::EpochRecord record{.epoch = epoch, .wall_s = 1, .steps = 10, .samples = 640};
  record.measured = {{"norm", norm}};
  return record;
}

void write_measured(const test::WrittenStudy& study, const contract::RunStart& start,
                    const std::vector<contract::ResultRecord>& records) {
  std::string text = contract::to_json_line(start) + "\n";
  for (const contract::ResultRecord& record : records) text += to_json_line(record) + "\n";
  base::write_file_atomically(study.folder.run(start.run_id).make_next_launch().results(),
                              text + contract::to_json_line(contract::RunStop{}) + "\n");
}

MeasuredMeans measured_by(const std::vector<contract::ResultRecord>& records,
                          const std::map<std::string, std::string>& units = {}) {
  test::WrittenStudy study;
  contract::RunStart start{.run_id = study.plan_run("ddp", 1)};
  start.measured_units = units;
  write_measured(study, start, records);
  ingest(study.folder);
  return read_frame(study.folder).runs.at(0).measured;
}

}  // namespace

TEST_CASE("a measured quantity has its mean over time, without the warm-up") {
  CHECK(measured_by(
            {measured_window(0, 9, 1), measured_window(10, 1, 40), measured_window(20, 3, 20)},
            {{"mfu", "%"}}) == MeasuredMeans{{{"mfu", "%"}, 25}});
}

TEST_CASE("a measured quantity that only the warm-up states counts if all windows are warm-up") {
  CHECK(measured_by({measured_window(0, 9, 7)}) == MeasuredMeans{{{"mfu", ""}, 7}});
  contract::StepWindow silent = measured_window(10, 1, 0);
  silent.measured.clear();
  CHECK(measured_by({measured_window(0, 9, 7), silent}).empty());
}

TEST_CASE("windows without times are weighted by their steps") {
  contract::StepWindow long_one = measured_window(10, NAN, 40);
  long_one.steps = 30;
  CHECK(measured_by({long_one, measured_window(40, NAN, 20)}) == MeasuredMeans{{{"mfu", ""}, 35}});
}

TEST_CASE("a window without the value does not change the mean") {
  CHECK(measured_by({measured_window(0, 9, 1), measured_window(10, 1, 40),
                     measured_window(20, 3, NAN)}) == MeasuredMeans{{{"mfu", ""}, 40}});
}

TEST_CASE("a quantity of epochs has the mean without the first epoch, unless it is the only one") {
  CHECK(measured_by({measured_epoch(0, 9), measured_epoch(1, 2), measured_epoch(2, 4)}) ==
        MeasuredMeans{{{"norm", ""}, 3}});
  CHECK(measured_by({measured_epoch(0, 9)}) == MeasuredMeans{{{"norm", ""}, 9}});
}

TEST_CASE("steps that a resumed launch repeated do not count in measured quantities") {
  test::WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 1);
  write_measured(study, {.run_id = run_id},
                 {measured_window(10, 1, 40), measured_window(20, 1, 90)});
  write_measured(study,
                 {.run_id = run_id, .launch = 2, .resumed_from = "launch-1", .resumed_step = 20},
                 {measured_window(20, 1, 20)});
  ingest(study.folder);
  CHECK(read_frame(study.folder).runs.at(0).measured == MeasuredMeans{{{"mfu", ""}, 30}});
}

namespace {

/// Returns a window for which the log states no number of steps.
contract::StepWindow window_without_steps(double wall_s, double mfu) {
  contract::StepWindow window = measured_window(0, wall_s, mfu);
  window.steps = 0;
  window.warmup = false;
  return window;
}

/// Adds a run with two launches to a study. The second launch resumes at step 20 and has one window
/// of 1 s with the value 20. Returns the row of the run.
RunRow resumed_at_20(test::WrittenStudy& study,
                     const std::vector<contract::ResultRecord>& first_launch) {
  const std::string run_id = study.plan_run("ddp", 1);
  write_measured(study, {.run_id = run_id}, first_launch);
  write_measured(study,
                 {.run_id = run_id, .launch = 2, .resumed_from = "launch-1", .resumed_step = 20},
                 {measured_window(20, 1, 20)});
  ingest(study.folder);
  return read_frame(study.folder).runs.at(0);
}

/// Returns the column `counts` of a view, in the order of the launches and their lines.
std::string counts_in(const test::WrittenStudy& study, const std::string& view) {
  SQLite::Database database(study.folder.database().string());
  return database
      .execAndGet("SELECT group_concat(counts) FROM (SELECT counts FROM " + view +
                  " ORDER BY launch, line)")
      .getString();
}

}  // namespace

TEST_CASE("times and measured quantities leave out a window that may have been repeated") {
  test::WrittenStudy study;
  const RunRow run = resumed_at_20(
      study, {measured_window(10, 1, 40), window_without_steps(4, 90), measured_window(20, 1, 90)});
  CHECK(run.steps.wall_s == 2);
  CHECK(run.measured == MeasuredMeans{{{"mfu", ""}, 30}});
  CHECK(counts_in(study, "step_window_view") == "1,0,0,1");
  CHECK(counts_in(study, "measured_view") == "1,0,0,1");
}

TEST_CASE("times and measured quantities count all windows of a launch without repeated steps") {
  test::WrittenStudy study;
  const RunRow run =
      resumed_at_20(study, {measured_window(10, 1, 40), window_without_steps(2, 90)});
  CHECK(run.steps.wall_s == 4);
  CHECK(run.measured == MeasuredMeans{{{"mfu", ""}, 60}});
  CHECK(counts_in(study, "step_window_view") == "1,1,1");
  CHECK(counts_in(study, "measured_view") == "1,1,1");
}

TEST_CASE("times and measured quantities leave out a window without steps if warm-up is detected") {
  test::WrittenStudy study;
  std::vector<contract::ResultRecord> records{measured_window(0, 9, 1), measured_window(10, 9, 1)};
  for (int i = 2; i < 8; ++i) records.emplace_back(measured_window(10 * i, 1, 40));
  records.emplace_back(window_without_steps(4, 90));
  write_measured(study, {.run_id = study.plan_run("ddp", 1)}, records);
  ingest(study.folder);
  const RunRow run = read_frame(study.folder, WarmUp::Detected).runs.at(0);
  CHECK(run.steps.wall_s == 6);
  CHECK(run.measured == MeasuredMeans{{{"mfu", ""}, 40}});
}

TEST_CASE("the view has a row for each value, with its unit and its window or epoch") {
  test::WrittenStudy study;
  contract::RunStart start{.run_id = study.plan_run("ddp", 1)};
  start.measured_units = {{"mfu", "%"}};
  write_measured(study, start, {measured_window(0, 2, 30), measured_epoch(0, 1.5)});
  ingest(study.folder);
  SQLite::Database database(study.folder.database().string());
  SQLite::Statement rows(database,
                         "SELECT name, value, unit, epoch, first_step, steps, warmup, wall_s, line "
                         "FROM measured_view ORDER BY line");
  std::vector<std::string> found;
  while (rows.executeStep()) {
    std::string row;
    for (int i = 0; i < rows.getColumnCount(); ++i) {
      row += (i > 0 ? " " : "") + (rows.isColumnNull(i) ? "-" : rows.getColumn(i).getString());
    }
    found.push_back(row);
  }
  CHECK(found ==
        std::vector<std::string>{"mfu 30.0 % 0 0 10 1 2.0 2", "norm 1.5 - 0 - 10 - 1.0 3"});
}

TEST_CASE("a window and an epoch of one line keep their values apart") {
  contract::ResultsFile file;
  contract::StepWindow window = measured_window(10, 2, 30);
  contract::EpochRecord epoch = measured_epoch(0, 1.5);
  epoch.measured["mfu"] = 50;
  file.records = {window, epoch};
  file.record_lines = {7, 7};
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  create_schema(database);
  RecordRows rows(database);
  contract::RunSpec run;
  run.run_id = "a-r1";
  rows.replace_run(run, "run.json");
  rows.replace_launch({.run_id = "a-r1", .launch = 1, .source = "log"}, file, {});
  SQLite::Statement found(
      database,
      "SELECT group_concat(row, '; ') FROM (SELECT record || ' ' || name || ' ' "
      "|| value || ' ' || wall_s AS row FROM measured_view ORDER BY row)");
  REQUIRE(found.executeStep());
  CHECK(found.getColumn(0).getString() ==
        "epoch mfu 50.0 1.0; epoch norm 1.5 1.0; step_window mfu 30.0 2.0");
}

TEST_CASE("quantities of equal name with different units stay apart") {
  test::WrittenStudy study;
  contract::RunStart first{.run_id = study.plan_run("ddp", 1)};
  first.measured_units = {{"mfu", "%"}};
  write_measured(study, first, {measured_window(10, 1, 40)});
  write_measured(study, {.run_id = study.plan_run("ddp", 2)}, {measured_window(10, 1, 0.4)});
  ingest(study.folder);
  const Frame frame = read_frame(study.folder);
  CHECK(frame.runs.at(0).measured == MeasuredMeans{{{"mfu", "%"}, 40}});
  CHECK(frame.runs.at(1).measured == MeasuredMeans{{{"mfu", ""}, 0.4}});
}

}  // namespace dlscale::analysis
