// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/ingest.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <catch2/catch.hpp>

#include "analysis/store/reading/frame_reader.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/database_dump.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using contract::RunOutcome;
using test::Measured;
using test::WrittenStudy;

const RunRow& row_of(const Frame& frame, const std::string& run_id) {
  for (const RunRow& run : frame.runs) {
    if (run.run_id == run_id) return run;
  }
  throw base::RunError("no row " + run_id);
}

}  // namespace

TEST_CASE("collecting reads the measurements of the runs") {
  WrittenStudy study;
  const std::string run_id = study.add("ddp", 2, {1000, 0.97});
  const IngestSummary summary = ingest(study.folder);
  CHECK(summary.launches == 1);
  CHECK(summary.files_read == 2);
  CHECK(summary.problems.empty());
  const Frame frame = read_frame(study.folder);
  const RunRow& run = row_of(frame, run_id);
  CHECK(run.outcome == "Completed");
  CHECK(run.gpus == 2);
  CHECK(1 / seconds_per_sample(run) == Approx(1000));
  CHECK(run.steps.steps == 20);  // the start-up window does not count
  CHECK(run.steps.parts_s[3] == Approx(0.75 * run.steps.wall_s));
  CHECK(final_accuracy(run) == 0.97);
  CHECK(run.conditions.at("cpu") == "a CPU");
  CHECK(frame.axes.at(1).values == std::vector<std::string>{"1", "2", "4"});
}

TEST_CASE("a frame contains the study file from which its plan was made") {
  WrittenStudy study;
  study.plan.origin = {"/home/study.toml", {"training.epochs=2"}, {}};
  study.plan.until = {0.05, 3};
  study.add("ddp", 1);
  ingest(study.folder);
  const Frame frame = read_frame(study.folder);
  CHECK(frame.origins.at("") == study.plan.origin);
  CHECK(frame.ends_repeats_early);
  std::filesystem::remove(study.folder.plan_json());
  CHECK(read_frame(study.folder).origins.empty());
}

TEST_CASE("gradient compression is a condition of a run, and its absence is not") {
  WrittenStudy study;
  const std::string plain = study.add("ddp", 1);
  const std::string compressed = study.add("ddp", 2);
  const std::string file = study.folder.run(compressed).run_json().string();
  auto spec = contract::run_spec_from_json(base::read_file(file), file);
  spec.framework_options.compression = "fp16";
  base::write_file_atomically(file, to_json(spec));
  ingest(study.folder);
  const Frame frame = read_frame(study.folder);
  CHECK(row_of(frame, compressed).conditions.at("compression") == "fp16");
  CHECK_FALSE(row_of(frame, plain).conditions.contains("compression"));
}

TEST_CASE("the software that a job described is a condition of its run") {
  WrittenStudy study;
  const std::string id = study.add("ddp", 1);
  base::make_directories(study.folder.software());
  base::write_file_atomically(study.folder.software_record("0123"),
                              R"({"commit":"3f2a9c1d5e6b7a80","python":"3.11.7"})");
  base::LineAppender notes(study.folder.run_notes(id));
  notes.append(to_json_line(contract::LaunchRecord{
      .event = "described", .job = "j", .run_id = id, .software = "0123", .launch_number = 1}));
  ingest(study.folder);
  const auto conditions = read_frame(study.folder).runs.at(0).conditions;
  CHECK(conditions.at("code") == "3f2a9c1d5e6b");
  CHECK(conditions.at("python") == "3.11.7");
  CHECK_FALSE(conditions.contains("packages"));
}

TEST_CASE("a description of the software that cannot be read is a problem of the collect") {
  WrittenStudy study;
  const std::string id = study.add("ddp", 1);
  base::LineAppender notes(study.folder.run_notes(id));
  notes.append(to_json_line(contract::LaunchRecord{
      .event = "described", .job = "j", .run_id = id, .software = "0123", .launch_number = 1}));
  const auto summary = ingest(study.folder);
  REQUIRE(summary.problems.size() == 1);
  CHECK(summary.problems[0].find("software/0123.json") != std::string::npos);
}

TEST_CASE("a profile is stored with its kernels in order") {
  WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 2);
  const contract::LaunchDir launch = study.launch(run_id, 2);
  contract::ProfileRecord profile{
      .first_step = 50, .steps = 50, .kernel_s = 4, .communication = 0.25};
  profile.kernels = {{"aten::mm", "computation", 7, 2.5}, {"loading", "io", 50, 0.5}};
  base::write_file_atomically(
      launch.results(), base::read_file(launch.results()) + contract::to_json_line(profile) + "\n");
  CHECK(ingest(study.folder).problems.empty());
  const std::string rows = test::dump_all(study.folder);
  CHECK_THAT(rows, Contains("profile|" + run_id + "|1|") && Contains("|4.0|0.25|"));
  CHECK_THAT(rows,
             Contains("|1|aten::mm|computation|7|2.5\n") && Contains("|2|loading|io|50|0.5\n"));
}

TEST_CASE("metrics, targets and inference are stored and are in the run's row") {
  WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 2);
  const contract::LaunchDir launch = study.launch(run_id, 2);
  contract::EvalRecord eval{.epoch = 1, .accuracy = 0.95, .loss = 0.2};
  eval.metrics = {{"bleu", 15.5}, {"top5_accuracy", 0.99}};
  const contract::TargetRecord target{.metric = "accuracy",
                                      .threshold = 0.94,
                                      .value = 0.95,
                                      .epoch = 1,
                                      .step = 19,
                                      .train_s = 12.5,
                                      .samples = 7};
  const contract::InferenceRecord inference{
      .batch = 32, .latency_s = {0.02, 0.01, 0.03, 0.04}, .samples_per_s = 1600};
  for (const contract::ResultRecord& record :
       std::vector<contract::ResultRecord>{eval, target, inference}) {
    base::LineAppender(launch.results()).append(contract::to_json_line(record));
  }
  ingest(study.folder);
  const std::string once = test::dump_all(study.folder);
  CHECK_THAT(once, Contains("|bleu|15.5\n") && Contains("|accuracy|0.94|0.95|1|") &&
                       Contains("inference|" + run_id + "|1|") && Contains("|1600.0|"));
  ingest(study.folder, true);
  CHECK(test::dump_all(study.folder) == once);
  const Frame frame = read_frame(study.folder);
  const RunRow& run = row_of(frame, run_id);
  CHECK(run.metrics == eval.metrics);
  REQUIRE(run.targets.size() == 1);
  CHECK(run.targets[0].train_s == 12.5);
  CHECK(run.targets[0].step == 19);
  REQUIRE(run.inference.size() == 1);
  CHECK(run.inference[0].latency_p90_s == 0.03);
  CHECK_FALSE(run.inference[0].compute_p50_s);
  CHECK_FALSE(run.inference[0].communication_p50_s);
}

TEST_CASE("the parts of the latency of inference are stored if the record has them") {
  WrittenStudy study;
  const std::string run_id = study.plan_run("data_parallel", 2);
  const contract::LaunchDir launch = study.launch(run_id, 2);
  contract::InferenceRecord inference{.batch = 32, .samples_per_s = 1600};
  inference.compute_s.p50 = 0.25;
  inference.communication_s.p50 = 0.5;
  base::LineAppender(launch.results())
      .append(contract::to_json_line(contract::ResultRecord(inference)));
  ingest(study.folder);
  const Frame frame = read_frame(study.folder);
  const RunRow& run = row_of(frame, run_id);
  REQUIRE(run.inference.size() == 1);
  CHECK(run.inference[0].compute_p50_s == 0.25);
  CHECK(run.inference[0].communication_p50_s == 0.5);
}

TEST_CASE("an evaluation without a number of samples has an accuracy and no counts") {
  WrittenStudy study;
  const contract::LaunchDir launch = study.launch(study.plan_run("ddp", 1), 1);
  base::LineAppender(launch.results())
      .append(contract::to_json_line(contract::EvalRecord{.epoch = 1, .accuracy = 0.95}));
  ingest(study.folder);
  SQLite::Database database(study.folder.database().string());
  const char* const query =
      "SELECT accuracy = 0.95 AND samples IS NULL AND correct IS NULL FROM eval_view "
      "WHERE epoch = 1";
  CHECK(database.execAndGet(query).getInt() == 1);
  CHECK(database.execAndGet("SELECT correct FROM eval_view WHERE epoch = 0").getInt() == 900);
}

TEST_CASE("a file that grew is read again, with its metrics and targets once") {
  WrittenStudy study;
  const contract::LaunchDir launch = study.launch(study.plan_run("ddp", 1), 1, {.stopped = false});
  const auto append = [&](const contract::ResultRecord& record) {
    base::LineAppender(launch.results()).append(contract::to_json_line(record));
  };
  contract::EvalRecord eval{.epoch = 1};
  eval.metrics = {{"top5_accuracy", 0.99}};
  append(eval);
  append(contract::TargetRecord{.metric = "loss"});
  append(contract::InferenceRecord{.batch = 32});
  ingest(study.folder);
  append(contract::RunStop{});
  CHECK(ingest(study.folder).files_read == 1);
  SQLite::Database database(study.folder.database().string());
  for (const char* table : {"eval_metric", "target", "inference"}) {
    CHECK(database.execAndGet(std::string("SELECT count(*) FROM ") + table).getInt() == 1);
  }
}

TEST_CASE("counters of a framework style are stored as JSON objects") {
  WrittenStudy study;
  const auto launch = study.launch(study.plan_run("horovod", 2), 2);
  base::LineAppender(launch.results())
      .append(R"({"record":"step_window","epoch":0,"first_step":9,"steps":1,"samples":1,)"
              R"("wall_s":1,"parts":{},"horovod_cycles":7})");
  ingest(study.folder);
  SQLite::Database database(study.folder.database().string());
  CHECK(database
            .execAndGet("SELECT json_extract(extra, '$.horovod_cycles') FROM step_window "
                        "WHERE first_step = 9")
            .getInt() == 7);
  CHECK(database.execAndGet("SELECT count(*) FROM step_window WHERE extra IS NULL").getInt() > 0);
}

TEST_CASE("collecting twice gives the same rows and reads no file again") {
  WrittenStudy study;
  study.add("ddp", 1);
  study.add("ddp", 2, {.outcome = RunOutcome::Failed});
  ingest(study.folder);
  const std::string first = test::dump_all(study.folder);
  const IngestSummary again = ingest(study.folder);
  CHECK(again.files_read == 0);
  CHECK(again.files_unchanged == 4);
  CHECK(test::dump_all(study.folder) == first);
}

TEST_CASE("collecting in parts gives the rows of collecting once") {
  WrittenStudy study;
  study.add("synchronous", 2);
  ingest(study.folder);
  study.add("ddp", 1);
  const std::string resumed = study.add("ddp", 4, {.outcome = RunOutcome::Preempted});
  ingest(study.folder);
  study.launch(resumed, 4);
  study.note_end(resumed, RunOutcome::Completed, 2010.5);
  ingest(study.folder);
  const std::string in_parts = test::dump_all(study.folder);
  std::filesystem::remove(study.folder.database());
  ingest(study.folder);
  CHECK(test::dump_all(study.folder) == in_parts);
}

TEST_CASE("more files than one thread reads give the same rows each time") {
  WrittenStudy study;
  for (int repetition = 1; repetition <= 70; ++repetition) study.add("ddp", 1, {}, repetition);
  CHECK(ingest(study.folder).files_read == 140);
  study.launch("ddp-g1-r7", 1, {.outcome = RunOutcome::Failed});
  study.note_end("ddp-g1-r8", RunOutcome::NodeFailed, 2010.5);
  std::filesystem::remove_all(study.folder.run("ddp-g1-r20").launch(1).root());
  std::filesystem::remove_all(study.folder.run("ddp-g1-r30").root());
  CHECK(ingest(study.folder).files_read == 1);
  const std::string in_parts = test::dump_all(study.folder);
  ingest(study.folder, true);
  CHECK(test::dump_all(study.folder) == in_parts);
}

TEST_CASE("a results file that grew is read again, and a touched file is not") {
  WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 1);
  const auto results = study.launch(run_id, 1, {.stopped = false}).results();
  ingest(study.folder);
  CHECK(read_frame(study.folder).runs[0].outcome == "Unfinished");
  std::filesystem::last_write_time(results, std::filesystem::file_time_type::clock::now());
  CHECK(ingest(study.folder).files_read == 0);
  base::LineAppender(results).append(contract::to_json_line(contract::RunStop{}));
  CHECK(ingest(study.folder).files_read == 1);
  CHECK(read_frame(study.folder).runs[0].outcome == "Completed");
}

TEST_CASE("runs that were removed from the folder are removed from the database") {
  WrittenStudy study;
  study.add("ddp", 1);
  const std::string run_id = study.add("ddp", 2);
  ingest(study.folder);
  study.plan.runs.pop_back();
  study.plan.jobs.pop_back();
  study.write_plan();
  CHECK(ingest(study.folder).unplanned == std::vector<std::string>{run_id});
  CHECK(read_frame(study.folder).runs.size() == 1);
  std::filesystem::remove_all(study.folder.run(run_id).root());
  CHECK(ingest(study.folder).unplanned.empty());
  const std::string rows = test::dump_all(study.folder);
  ingest(study.folder, true);
  CHECK(test::dump_all(study.folder) == rows);
}

TEST_CASE("a truncated results file is read up to its last line and reported each time") {
  WrittenStudy study;
  const std::string run_id = study.add("ddp", 1, {.stopped = false});
  study.note_end(run_id, RunOutcome::Completed, 2000.5);
  const auto results = study.folder.run(run_id).launch(1).results();
  const std::string text = base::read_file(results);
  base::write_file_atomically(results, text.substr(0, text.size() - 20));
  for (int time = 0; time < 2; ++time) {
    const IngestSummary summary = ingest(study.folder);
    CHECK(summary.truncated ==
          std::vector<std::string>{"runs/" + run_id + "/launch-1/results.jsonl"});
  }
  CHECK(read_frame(study.folder).runs[0].epochs.size() == 1);
  CHECK(read_frame(study.folder).runs[0].evals.empty());
}

TEST_CASE("unknown records and broken lines are counted, and the rest is read") {
  WrittenStudy study;
  const std::string run_id = study.add("ddp", 1);
  base::LineAppender file(study.folder.run(run_id).launch(1).results());
  file.append(R"({"record":"weather","rain":true})");
  file.append("not JSON");
  const IngestSummary summary = ingest(study.folder);
  REQUIRE(summary.problems.size() == 2);
  CHECK_THAT(summary.problems[0], Contains("results.jsonl: line 8") && Contains("weather"));
  CHECK_THAT(summary.problems[1], Contains("line 9"));
  CHECK(read_frame(study.folder).runs[0].outcome == "Completed");
}

TEST_CASE("a failed run has a row") {
  WrittenStudy study;
  const std::string run_id = study.add("ddp", 2, {.outcome = RunOutcome::OutOfMemory});
  ingest(study.folder);
  CHECK(row_of(read_frame(study.folder), run_id).outcome == "OutOfMemory");
  CHECK_FALSE(has_throughput(read_frame(study.folder).runs[0]));
}

TEST_CASE("a launch that died before it could write has a row too") {
  WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 2);
  study.folder.run(run_id).make_next_launch();
  study.note_end(run_id, RunOutcome::NodeFailed, 5);
  CHECK(ingest(study.folder).launches == 1);
  CHECK(row_of(read_frame(study.folder), run_id).outcome == "NodeFailed");
}

TEST_CASE("the last completed of several launches is used") {
  WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 1);
  study.launch(run_id, 1, {100, 0.5});
  study.launch(run_id, 1, {200, 0.6});
  study.launch(run_id, 1, {300, 0.7, RunOutcome::Failed});
  ingest(study.folder);
  const RunRow run = read_frame(study.folder).runs[0];
  CHECK(run.outcome == "Completed");
  CHECK(1 / seconds_per_sample(run) == Approx(200));
  CHECK(final_accuracy(run) == 0.6);
}

TEST_CASE("the end that the runner logged takes precedence over the trainer's") {
  WrittenStudy study;
  const std::string run_id = study.add("ddp", 1);
  study.note_end(run_id, RunOutcome::TimedOut, WrittenStudy::start_of_launch(1) + 20);
  ingest(study.folder);
  CHECK(read_frame(study.folder).runs[0].outcome == "TimedOut");
}

TEST_CASE("results of another run are left out and reported") {
  WrittenStudy study;
  const std::string run_id = study.add("ddp", 1);
  const std::string other = study.add("ddp", 2);
  std::filesystem::copy(study.folder.run(other).launch(1).results(),
                        study.folder.run(run_id).launch(1).results(),
                        std::filesystem::copy_options::overwrite_existing);
  const IngestSummary summary = ingest(study.folder);
  REQUIRE(summary.problems.size() == 1);
  CHECK_THAT(summary.problems[0], Contains("contains results of run " + other));
}

TEST_CASE("a run with a broken or missing run.json has an unreadable row each time") {
  WrittenStudy study;
  study.add("ddp", 1);
  const std::string broken = study.add("ddp", 2);
  const std::string missing = study.add("ddp", 4);
  base::write_file_atomically(study.folder.run(broken).run_json(), "{\n \"gpus\": ");
  std::filesystem::remove(study.folder.run(missing).run_json());
  for (int time = 0; time < 2; ++time) {
    const IngestSummary summary = ingest(study.folder);
    REQUIRE(summary.problems.size() == 2);
    CHECK_THAT(summary.problems[0], Contains(broken + "/run.json:2:"));
    CHECK_THAT(summary.problems[1], Contains(missing + "/run.json: No such file"));
    const Frame frame = read_frame(study.folder);
    REQUIRE(frame.runs.size() == 3);
    CHECK(has_throughput(frame.runs[0]));
    CHECK(row_of(frame, broken).outcome == "Unreadable");
    CHECK(row_of(frame, missing).outcome == "Unreadable");
    CHECK(row_of(frame, missing).gpus == 4);
    CHECK(row_of(frame, missing).point.at("framework") == "ddp");
    CHECK(worker_noun(frame) == "rank");
  }
}

TEST_CASE("a repaired run.json restores its run and results") {
  WrittenStudy study;
  const std::string run_id = study.add("ddp", 1);
  const auto run_json = study.folder.run(run_id).run_json();
  const std::string good = base::read_file(run_json);
  ingest(study.folder);
  base::write_file_atomically(run_json, "{}");
  ingest(study.folder);
  CHECK(read_frame(study.folder).runs.at(0).outcome == "Unreadable");
  base::write_file_atomically(run_json, good);
  ingest(study.folder);
  CHECK(has_throughput(read_frame(study.folder).runs.at(0)));
}

TEST_CASE("a folder without plan.json gives an error with advice and gets no database") {
  test::TempDir folder;
  const contract::PlanDir plan(folder.path());
  CHECK_THROWS_AS(ingest(plan), base::UsageError);
  CHECK_THROWS_WITH(ingest(plan), Contains("no plan.json in") && Contains("dlscale plan -o"));
  CHECK_FALSE(std::filesystem::exists(plan.database()));
}

TEST_CASE("an array task that has not started is a planned run described by the array's table") {
  WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 2);
  std::string json = base::read_file(study.folder.run(run_id).run_json());
  std::filesystem::remove_all(study.folder.run(run_id).root());
  std::erase(json, '\n');
  base::make_directories(study.folder.jobs());
  base::write_file_atomically(study.folder.run_table("t"), "another task\n" + json + "\n");
  study.plan.jobs[0].kind = contract::JobKind::array;
  study.plan.jobs[0].table = "t";
  study.plan.jobs[0].offset = 1;
  study.write_plan();
  for (int time = 0; time < 2; ++time) {
    CHECK(ingest(study.folder).problems.empty());
    const Frame frame = read_frame(study.folder);
    CHECK(row_of(frame, run_id).outcome == kNotStarted);
  }
}

}  // namespace dlscale::analysis
