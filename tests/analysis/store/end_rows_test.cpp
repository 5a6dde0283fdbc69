// SPDX-License-Identifier: Apache-2.0
// Tests which launch of a run counts if the launches record no start time. These are launches of a
// user's own program, whose output is read through a log format.
#include "analysis/store/end_rows.hpp"

#include <catch2/catch.hpp>

#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

using contract::LaunchRecord;
using contract::RunOutcome;
using test::WrittenStudy;

/// Study whose single run is a program that prints its rate. The study reads the rate by a pattern.
class PrintingStudy : public WrittenStudy {
 public:
  PrintingStudy() : run_id(plan_run("ddp", 1)) {
    plan.runs[0].log_format = "pattern";
    write_plan();
    base::write_file_atomically(folder.log_format_toml(),
                                R"(line = ["(?<samples_per_s>[\\d.]+) samples/s"])");
  }

  /// Adds a launch that printed `samples_per_s`.
  void print_rate(int samples_per_s) {
    base::write_file_atomically(folder.run(run_id).make_next_launch().out(),
                                "rate: " + std::to_string(samples_per_s) + " samples/s\n");
  }

  /// Appends the record of the runner before it submits the run. `earlier` is the number of the
  /// latest launch.
  void submit(const std::string& token, int earlier, double time) {
    LaunchRecord record{.event = "submitting", .job = job(), .launch = token, .time = time};
    record.runs = {run_id};
    if (earlier > 0) record.launches = {earlier};
    append(folder.launch_log(), record);
  }

  /// Appends the record of the runner about the end of the run.
  void end(const std::string& token, double time, RunOutcome outcome) {
    append(folder.launch_log(), {.event = "ended",
                                 .job = job(),
                                 .launch = token,
                                 .run_id = run_id,
                                 .time = time,
                                 .outcome = outcome});
  }

  /// Appends the record of the job script that names the launch that begins.
  void describe(const std::string& token, int number) {
    append(folder.run_notes(run_id), {.event = "described",
                                      .job = job(),
                                      .launch = token,
                                      .run_id = run_id,
                                      .launch_number = number});
  }

  /// Appends the record of the job script about the end of the program.
  void end_script(const std::string& token, double time, int exit_code) {
    append(folder.run_notes(run_id), {.event = "ended",
                                      .job = job(),
                                      .launch = token,
                                      .run_id = run_id,
                                      .time = time,
                                      .exit_code = exit_code});
  }

  /// Collects the folder and returns its run.
  RunRow collected() {
    ingest(folder);
    return read_frame(folder).runs.at(0);
  }

  const std::string run_id;

 private:
  std::string job() const { return "job-" + run_id; }
  static void append(const std::filesystem::path& file, const LaunchRecord& record) {
    base::LineAppender(file).append(to_json_line(record));
  }
};

}  // namespace

TEST_CASE("after a failed launch whose output is read, the completed launch counts") {
  PrintingStudy study;
  study.submit("first", 0, 10);
  study.print_rate(100);
  study.end("first", 20.5, RunOutcome::Failed);
  study.submit("second", 1, 30);
  study.print_rate(2000);
  study.end("second", 40.5, RunOutcome::Completed);
  const RunRow run = study.collected();
  CHECK(run.outcome == "Completed");
  CHECK(1 / seconds_per_sample(run) == Approx(2000));
}

TEST_CASE("a failed launch after a completed launch does not count") {
  PrintingStudy study;
  study.submit("first", 0, 10);
  study.print_rate(2000);
  study.end("first", 20.5, RunOutcome::Completed);
  study.submit("second", 1, 30);
  study.print_rate(100);
  study.end("second", 40.5, RunOutcome::Failed);
  const RunRow run = study.collected();
  CHECK(run.outcome == "Completed");
  CHECK(1 / seconds_per_sample(run) == Approx(2000));
}

TEST_CASE("a run whose last launch has not ended has no result") {
  PrintingStudy study;
  study.submit("first", 0, 10);
  study.print_rate(100);
  study.end("first", 20.5, RunOutcome::Failed);
  study.submit("second", 1, 30);
  study.print_rate(2000);
  const RunRow run = study.collected();
  CHECK(run.outcome == "Unfinished");
  CHECK_FALSE(has_throughput(run));
}

TEST_CASE("a submission that the batch system restarted ends with its last launch") {
  PrintingStudy study;
  study.submit("only", 0, 10);
  study.describe("only", 1);
  study.print_rate(100);
  study.end_script("only", 20, 99);
  study.describe("only", 2);
  study.print_rate(2000);
  study.end_script("only", 40, 0);
  study.end("only", 40.5, RunOutcome::Completed);
  const RunRow run = study.collected();
  CHECK(run.outcome == "Completed");
  CHECK(1 / seconds_per_sample(run) == Approx(2000));
}

TEST_CASE("launches of a job script that the user started end as the script recorded") {
  PrintingStudy study;
  study.describe("", 1);
  study.print_rate(100);
  study.end_script("", 20, 1);
  study.describe("", 2);
  study.print_rate(2000);
  study.end_script("", 20, 0);
  const RunRow run = study.collected();
  CHECK(run.outcome == "Completed");
  CHECK(1 / seconds_per_sample(run) == Approx(2000));
}

TEST_CASE("a submission that ended before its program started is the end of the last launch") {
  PrintingStudy study;
  study.submit("first", 0, 10);
  study.print_rate(100);
  study.end("first", 20.5, RunOutcome::Failed);
  study.submit("second", 1, 30);
  study.end("second", 30.5, RunOutcome::NodeFailed);
  CHECK(study.collected().outcome == "NodeFailed");
}

TEST_CASE("a submission that was cancelled in the queue is not the end of a later launch") {
  PrintingStudy study;
  study.submit("first", 0, 10);
  study.end("first", 20.5, RunOutcome::Cancelled);
  CHECK(study.collected().outcome == "Cancelled");
  study.describe("", 1);
  study.print_rate(2000);
  CHECK(study.collected().outcome == "Unfinished");
  study.end_script("", 40, 0);
  const RunRow run = study.collected();
  CHECK(run.outcome == "Completed");
  CHECK(1 / seconds_per_sample(run) == Approx(2000));
}

TEST_CASE("the software of the launch that counts is a condition of the run") {
  PrintingStudy study;
  base::make_directories(study.folder.software());
  for (const auto& [token, number] : {std::pair("first", 1), std::pair("second", 2)}) {
    study.submit(token, number - 1, 10 * number);
    base::write_file_atomically(study.folder.software_record(token),
                                R"({"python":"3.)" + std::to_string(number) + R"("})");
    base::LineAppender(study.folder.run_notes(study.run_id))
        .append(to_json_line(LaunchRecord{.event = "described",
                                          .job = "j",
                                          .launch = token,
                                          .run_id = study.run_id,
                                          .software = token,
                                          .launch_number = number}));
    study.print_rate(1000);
    study.end(token, 10 * number + 5, number == 1 ? RunOutcome::Failed : RunOutcome::Completed);
  }
  CHECK(study.collected().conditions.at("python") == "3.2");
}

}  // namespace dlscale::analysis
