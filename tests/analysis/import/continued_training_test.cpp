// SPDX-License-Identifier: Apache-2.0
// Tests that the logs of a resumed training become launches of one run.
#include "analysis/import/continued_training.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/analysis/support/log_folder.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::LogFolder;

struct ResumedLogs : LogFolder {
  ResumedLogs() {
    request = {.logs = {logs()}};
    request.stated = {"gpus=1", "global_batch=64", "model=resnet50"};
  }
};

/// Returns epochs in the format of mmcv. Each epoch has 100 steps and an evaluation.
std::string epochs(int first, int last, double step_s, int steps_of_last = 100) {
  std::string text;
  for (int epoch = first; epoch <= last; ++epoch) {
    const int steps = epoch == last ? steps_of_last : 100;
    for (int step = 50; step <= steps; step += 50) {
      text += fmt::format(
          R"({{"mode": "train", "epoch": {}, "iter": {}, "lr": 0.02, "data_time": 0.01, )"
          "\"loss\": {}, \"time\": {}}}\n",
          epoch, step, 1.0 / epoch, step_s);
    }
    if (steps < 100) continue;
    text += fmt::format(
        "{{\"mode\": \"val\", \"epoch\": {}, \"iter\": 9, \"lr\": 0.02, \"accuracy_top-1\": {}}}\n",
        epoch, 10 * epoch + step_s);
  }
  return text;
}

std::string pipeline(int first, int last) {
  std::string text;
  for (int step = first; step <= last; step += 10) {
    text += fmt::format("steps: {} loss: {:.4f} iter time (s): 0.500 samples/sec: 128.000\n", step,
                        10.0 / step);
  }
  return text;
}

}  // namespace

TEST_CASE("a log that begins in the last epoch of another log continues it") {
  ResumedLogs logs;
  logs.write("slurm-100.out", epochs(1, 3, 0.5, 50));
  logs.write("slurm-101.out", epochs(3, 4, 0.25));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  CHECK(summary.logs == 2);
  REQUIRE(summary.joined.size() == 1);
  CHECK_THAT(summary.joined[0], Contains("slurm-101.out: belongs to"));
  CHECK_THAT(summary.joined[0], Contains("slurm-100.out: continues it"));
  ingest(logs.folder);
  const Frame frame = read_frame(logs.folder);
  REQUIRE(frame.runs.size() == 1);
  const RunRow& run = frame.runs[0];
  CHECK(run.outcome == "Completed");
  CHECK(run.spent.launches == 2);
  CHECK(run.spent.lost_s == Approx(50 * 0.5));  // 50 steps of the third epoch were repeated
  // The first line of each launch does not count.
  CHECK(run.steps.steps == 2 * 100 - 50 + 200 - 50);
  REQUIRE(run.evals.size() == 4);
  CHECK(run.evals[1].accuracy == Approx(0.205));
  CHECK(run.evals[2].accuracy == Approx(0.3025));
  CHECK(run.evals[3].epoch == 3);
}

TEST_CASE("logs with consecutive epochs form one training") {
  ResumedLogs logs;
  logs.write("c.out", epochs(5, 6, 0.25));
  logs.write("a.out", epochs(1, 2, 0.5));
  logs.write("b.out", epochs(3, 4, 0.5));
  const Frame frame = logs.collect();
  REQUIRE(frame.runs.size() == 1);
  CHECK(frame.runs[0].spent.launches == 3);
  CHECK(frame.runs[0].spent.lost_s == Approx(0).margin(1e-9));
  CHECK(frame.runs[0].evals.size() == 6);
}

TEST_CASE("a pipeline log whose steps continue those of another log continues it") {
  ResumedLogs logs;
  logs.write("a.log", pipeline(10, 100));
  logs.write("b.log", pipeline(90, 200));
  const Frame frame = logs.collect();
  REQUIRE(frame.runs.size() == 1);
  CHECK(frame.runs[0].spent.launches == 2);
  CHECK(frame.runs[0].spent.lost_s == Approx(20 * 0.5));
}

TEST_CASE("collecting a resumed training again or log by log gives the same result") {
  ResumedLogs logs;
  const std::string first = logs.write("a.out", epochs(1, 2, 0.5));
  const std::string second = logs.write("b.out", epochs(3, 4, 0.25));
  logs.import();
  const ImportSummary again = logs.import();
  CHECK(again.unchanged == 1);
  CHECK(again.added + again.changed == 0);
  CHECK(again.joined.size() == 1);
  logs.request.logs = {first};  // the run keeps its other launches
  CHECK(logs.import().unchanged == 1);
  ingest(logs.folder);
  CHECK(read_frame(logs.folder).runs.at(0).spent.launches == 2);
  logs.request.logs = {logs.logs()};
  logs.write("b.out", epochs(1, 4, 0.25));
  const ImportSummary other = logs.import();
  CHECK(other.runs == 2);
  CHECK(other.joined.empty());
  ingest(logs.folder);
  for (const RunRow& run : read_frame(logs.folder).runs) CHECK(run.spent.launches == 1);
}

TEST_CASE("a log that continues an earlier import is imported only together with it") {
  ResumedLogs logs;
  const std::string first = logs.write("a.out", epochs(1, 2, 0.5));
  const std::string second = logs.write("b.out", epochs(3, 4, 0.25));
  const std::string other = logs.write("other/c.out", epochs(1, 2, 0.25));
  logs.request.logs = {first};
  logs.import();
  logs.request.logs = {second, other};
  const ImportSummary alone = logs.import();
  CHECK(alone.runs == 1);
  REQUIRE(alone.skipped.size() == 1);
  CHECK_THAT(alone.skipped[0].why, Contains("collect the two logs together"));
  CHECK_FALSE(alone.is_complete());
  logs.request.logs = {logs.logs()};
  CHECK(logs.import().runs == 2);
}

TEST_CASE("a log that could continue either of two trainings is skipped") {
  ResumedLogs logs;
  logs.write("a.out", epochs(1, 2, 0.5));
  logs.write("b.out", epochs(1, 2, 0.25));
  logs.write("c.out", epochs(3, 4, 0.25));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 2);
  REQUIRE(summary.skipped.size() == 1);
  CHECK_THAT(summary.skipped[0].why, Contains("begins with epoch 2, so it could continue"));
  CHECK_THAT(summary.skipped[0].why, Contains("--axis 'repetition=REGEX'"));
  CHECK_FALSE(summary.is_complete());
}

TEST_CASE("two logs that could continue the same training are skipped") {
  ResumedLogs logs;
  logs.write("a.out", epochs(1, 2, 0.5));
  logs.write("b.out", epochs(3, 4, 0.25));
  logs.write("c.out", epochs(3, 5, 0.5));
  const ImportSummary summary = logs.import();
  CHECK(summary.runs == 1);
  REQUIRE(summary.skipped.size() == 2);
  CHECK_THAT(summary.skipped[0].why, Contains("2 logs continue"));
}

TEST_CASE("stated repetitions distinguish the trainings of a folder") {
  ResumedLogs logs;
  logs.request.axes = {"repetition=r(\\d)-"};
  logs.write("r1-a.out", epochs(1, 2, 0.5));
  logs.write("r1-b.out", epochs(3, 4, 0.5));
  logs.write("r2-a.out", epochs(1, 2, 0.25));
  logs.write("r2-b.out", epochs(3, 4, 0.25));
  const Frame frame = logs.collect();
  REQUIRE(frame.runs.size() == 2);
  for (const RunRow& run : frame.runs) CHECK(run.spent.launches == 2);
}

TEST_CASE("logs with gaps, other axes, other formats or in other folders are not joined") {
  ResumedLogs logs;
  logs.write("gap/a.out", epochs(1, 2, 0.5));
  logs.write("gap/b.out", epochs(5, 6, 0.5));
  logs.write("one/a.out", epochs(1, 2, 0.5) + "\n");
  logs.write("other/b.out", epochs(3, 4, 0.5));
  CHECK(logs.import().runs == 4);
  logs.request.axes = {"gpus=g(\\d)"};
  logs.request.stated.erase(logs.request.stated.begin());
  logs.request.logs = {logs.write("g1.out", epochs(1, 2, 0.5) + "\n\n"),
                       logs.write("g2.out", epochs(3, 4, 0.5) + "\n")};
  CHECK(logs.import().runs == 2);
}

TEST_CASE("the epochs of a log that continues another log count like those of that log") {
  for (const int from : {0, 1}) {
    ResumedLogs logs;
    logs.request.mapped = test::format_of("csv", {"epoch=e", "wall_s=t", "samples=n"});
    const auto write = [&](const std::string& name, int first) {
      logs.write(name, fmt::format("e,t,n\n{},2.5,100\n{},2.{},100\n", first, first + 1, first));
    };
    write("a.csv", from + 2);
    write("b.csv", from);
    write("c.csv", from + 4);
    CHECK(logs.import().runs == 1);
    ingest(logs.folder);  // reads the first epoch from import.json
    const Frame frame = read_frame(logs.folder);
    REQUIRE(frame.runs.size() == 1);
    CHECK(frame.runs[0].spent.launches == 3);
    REQUIRE(frame.runs[0].epochs.size() == 6);
    CHECK(frame.runs[0].epochs.front().epoch == 0);
    CHECK(frame.runs[0].epochs.back().epoch == 5);
    CHECK(logs.import().changed == 0);
  }
}

}  // namespace dlscale::analysis
