// SPDX-License-Identifier: Apache-2.0
// Tests of a run with several launches. The test files are records of dlscale-train for three
// launches: one was killed in its fourth epoch after a checkpoint at step 200, one was stopped at
// step 400, and one ran without interruption.
#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "analysis/report/tables/captions.hpp"
#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "contract/records/result_record.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

using test::WrittenStudy;
namespace fs = std::filesystem;

const fs::path kData = fs::path(DLSCALE_SOURCE_DIR) / "tests/data/interrupted";
constexpr const char* kRecorded = "interrupted-r1";

/// Returns a recorded text in which `run_id` replaces the run id.
std::string recorded(const char* file, const std::string& run_id) {
  std::string text = base::read_file(kData / file);
  for (std::size_t at = 0; (at = text.find(kRecorded, at)) != std::string::npos;) {
    text.replace(at, std::string(kRecorded).size(), run_id);
  }
  return text;
}

/// Adds a run with one launch for each name of a results file. An empty name adds a launch without
/// results.
void add(WrittenStudy& study, const std::string& run_id, const std::vector<const char*>& launches) {
  study.plan.runs.push_back({.run_id = run_id, .job = run_id, .gpus = 1});
  study.plan.jobs.push_back({run_id, {run_id}, {}});
  study.write_plan();
  const contract::RunDir run = study.folder.run(run_id);
  base::make_directories(run.root());
  base::write_file_atomically(run.run_json(), recorded("run.json", run_id));
  for (const char* file : launches) {
    const contract::LaunchDir launch = run.make_next_launch();
    base::write_file_atomically(launch.results(), recorded(file, run_id));
  }
}

const std::vector<const char*> kLaunches{"launch-1.jsonl", "launch-2.jsonl", "launch-3.jsonl"};

/// Returns the total seconds of the windows that begin at step `from` or later in a recorded
/// launch.
double seconds(const char* file, std::int64_t from = 0) {
  double sum = 0;
  for (const auto& record : contract::parse_results(recorded(file, "x")).records) {
    const auto* window = std::get_if<contract::StepWindow>(&record);
    if (window != nullptr && window->first_step >= from) sum += window->wall_s;
  }
  return sum;
}

}  // namespace

TEST_CASE("the launches of an interrupted run form the curve of an undisturbed run") {
  WrittenStudy study;
  add(study, "joined-r1", kLaunches);
  add(study, "whole-r1", {"whole.jsonl"});
  CHECK(ingest(study.folder).problems.empty());
  const Frame frame = read_frame(study.folder);
  const RunRow& joined = frame.runs.at(0);
  const RunRow& whole = frame.runs.at(1);
  CHECK(joined.outcome == "Completed");
  REQUIRE(joined.evals.size() == 6);
  REQUIRE(joined.epochs.size() == 6);
  for (std::size_t epoch = 0; epoch < 6; ++epoch) {
    CHECK(joined.evals[epoch].epoch == static_cast<int>(epoch));
    CHECK(joined.evals[epoch].accuracy == whole.evals[epoch].accuracy);
    CHECK(joined.evals[epoch].loss == whole.evals[epoch].loss);
    CHECK(joined.epochs[epoch].epoch == static_cast<int>(epoch));
    CHECK(joined.epochs[epoch].train_loss == Approx(whole.epochs[epoch].train_loss));
  }
  CHECK(whole.steps.steps == 600 - 40);       // the first window does not count
  CHECK(joined.steps.steps == 600 - 3 * 40);  // the first window of each launch does not count
  CHECK(joined.steps.samples == 16 * joined.steps.steps);
}

TEST_CASE("repeated time is counted separately") {
  WrittenStudy study;
  add(study, "joined-r1", kLaunches);
  add(study, "whole-r1", {"whole.jsonl"});
  ingest(study.folder);
  const Frame frame = read_frame(study.folder);
  const SpentTime& spent = frame.runs.at(0).spent;
  CHECK(spent.launches == 3);
  CHECK(spent.lost_s == Approx(seconds("launch-1.jsonl", 200)));
  CHECK(spent.kept_s == Approx(seconds("launch-1.jsonl") - seconds("launch-1.jsonl", 200) +
                               seconds("launch-2.jsonl") + seconds("launch-3.jsonl")));
  CHECK(frame.runs.at(1).spent.launches == 1);
  CHECK(frame.runs.at(1).spent.lost_s == Approx(0).margin(1e-9));
  CHECK_THAT(
      describe_interruptions(frame),
      Catch::StartsWith("1 run resumed from checkpoints (3 launches); 0:00:00 of training "));
}

TEST_CASE("the views mark the records that are part of the result of a run") {
  WrittenStudy study;
  add(study, "joined-r1", kLaunches);
  ingest(study.folder);
  SQLite::Database database(study.folder.database().string());
  const auto number = [&](const std::string& query) {
    return database.execAndGet("SELECT " + query).getInt();
  };
  CHECK(number("sum(steps) FROM step_window_view WHERE counts AND NOT warmup") == 600 - 3 * 40);
  CHECK(number("count(*) FROM step_window_view WHERE NOT counts") > 0);
  CHECK(number("count(*) FROM epoch_view WHERE counts") == 6);
  CHECK(number("count(DISTINCT epoch) FROM epoch_view WHERE counts") == 6);
  CHECK(number("count(*) FROM eval_view WHERE counts") == 6);
  CHECK(number("count(DISTINCT epoch) FROM eval_view WHERE counts") == 6);
}

TEST_CASE("collecting after each launch gives the same as collecting at the end") {
  WrittenStudy study;
  add(study, "joined-r1", {"launch-1.jsonl"});
  ingest(study.folder);
  CHECK(read_frame(study.folder).runs.at(0).outcome == "Unfinished");
  for (const char* file : {"launch-2.jsonl", "launch-3.jsonl"}) {
    const auto launch = study.folder.run("joined-r1").make_next_launch();
    base::write_file_atomically(launch.results(), recorded(file, "joined-r1"));
    ingest(study.folder);
    const bool last = file == std::string("launch-3.jsonl");
    CHECK(read_frame(study.folder).runs.at(0).outcome == (last ? "Completed" : "Preempted"));
  }
  CHECK(read_frame(study.folder).runs.at(0).evals.size() == 6);
}

TEST_CASE("a launch that started from the beginning is not joined to earlier launches") {
  WrittenStudy study;
  add(study, "again-r1", {"launch-1.jsonl", "whole.jsonl"});
  ingest(study.folder);
  const RunRow run = read_frame(study.folder).runs.at(0);
  CHECK(run.spent.launches == 1);
  CHECK(run.steps.steps == 560);
  CHECK(run.evals.size() == 6);
  CHECK(run.spent.lost_s == Approx(seconds("launch-1.jsonl")));
}

TEST_CASE("later launches are used if an earlier launch is missing") {
  WrittenStudy study;
  add(study, "joined-r1", kLaunches);
  fs::remove_all(study.folder.run("joined-r1").launch(1).root());
  ingest(study.folder);
  const RunRow run = read_frame(study.folder).runs.at(0);
  CHECK(run.outcome == "Completed");
  REQUIRE(run.evals.size() == 4);
  CHECK(run.evals.front().epoch == 2);
}

}  // namespace dlscale::analysis
