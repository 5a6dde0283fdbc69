// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::cell;
using test::frame_of;
using test::is_empty;
using test::number;
using test::run_at;

Frame evaluated() {
  Frame frame = frame_of({run_at(1, 100, "ddp", 1), run_at(1, 100, "ddp", 2), run_at(2, 100)});
  for (RunRow& run : frame.runs) run.evals = {{0, 0.5, 1.0}, {1, 0.6, 0.5}};
  frame.runs[0].metrics = {{"top5_accuracy", 0.9}};
  frame.runs[1].metrics = {{"top5_accuracy", 0.94}};
  frame.runs[2].metrics = {{"bleu", 15.5}};
  return frame;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the first tables depend on the task of the runs") {
  Frame frame = evaluated();
  CHECK(first_metrics(frame) == Names{"efficiency", "accuracy", "breakdown"});
  for (RunRow& run : frame.runs) run.task = "classification";
  CHECK(first_metrics(frame) == Names{"efficiency", "accuracy", "breakdown"});
  frame.runs[2].task = "translation";
  CHECK(first_metrics(frame) == Names{"efficiency", "accuracy", "evaluation", "breakdown"});
  CHECK(accuracy_table(frame, {}).rows.size() == 1);
  for (RunRow& run : frame.runs) run.task = "translation";
  CHECK(first_metrics(frame) == Names{"efficiency", "evaluation", "breakdown"});
}

TEST_CASE("a study with only inference shows latencies") {
  RunRow run = run_at(1, 100);
  run.steps = {};
  run.inference = {{32, 0.01, 0.02, 3000}};
  CHECK(first_metrics(frame_of({run})) == Names{"inference"});
}

TEST_CASE("the evaluation table shows the metrics of each task and leaves others empty") {
  const Table table = evaluation_table(evaluated(), {});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "n") == 2);
  CHECK(number(table, 0, "test_loss") == 0.5);
  CHECK(number(table, 0, "top5_accuracy") == Approx(0.92));
  CHECK(is_empty(table, 0, "bleu"));
  CHECK(number(table, 1, "bleu") == 15.5);
  for (const Column& column : table.columns) {
    if (column.id == "top5_accuracy") CHECK(column.unit == "%");
    if (column.id == "bleu") CHECK(column.unit.empty());
  }
}

TEST_CASE("a run that recorded only the accuracy gives no row of the evaluation table") {
  Frame frame = evaluated();
  frame.runs.back().metrics.clear();
  frame.runs.back().evals.back().loss = std::nan("");
  CHECK(evaluation_table(frame, {}).rows.size() == 1);
  for (RunRow& run : frame.runs) {
    run.metrics.clear();
    run.evals.back().loss = std::nan("");
  }
  CHECK(evaluation_table(frame, {}).rows.empty());
  CHECK(why_nothing(find_metric("evaluation"), frame, {}) ==
        "evaluation needs an evaluation that recorded the test loss, top-5 accuracy, perplexity or "
        "BLEU: there is none");
}

TEST_CASE("time to a target uses the repeats that reached it and shows their number") {
  Frame frame = evaluated();
  frame.runs[0].targets = {{"accuracy", 0.6, 1, 12.5, 2000, 40}};
  const Table table = time_to_target_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  CHECK(std::get<std::string>(cell(table, 0, "target")) == "accuracy >= 0.6");
  CHECK(number(table, 0, "n") == 2);
  CHECK(number(table, 0, "reached") == 1);
  CHECK(number(table, 0, "train_s") == 12.5);
  CHECK(number(table, 0, "epochs") == 2);
  CHECK(number(table, 0, "samples") == 2000);
  CHECK(number(table, 0, "steps") == 40);
  CHECK(number(table, 1, "reached") == 0);
  CHECK(is_empty(table, 1, "train_s"));
  CHECK(is_empty(table, 1, "steps"));
  CHECK(time_to_target_table(evaluated(), {}).rows.empty());
}

TEST_CASE("a target on the training loss is reached within an epoch, after a number of steps") {
  Frame frame = evaluated();
  frame.runs[0].targets = {{"train_loss", 0.5, 2, 12.5, 5000, 50}};
  const auto table_of_size = [&](std::int64_t steps_per_epoch) {
    frame.runs[0].size.steps_per_epoch = steps_per_epoch;
    return time_to_target_table(frame, {});
  };
  const Table table = table_of_size(20);
  CHECK(std::get<std::string>(cell(table, 0, "target")) == "train_loss <= 0.5");
  CHECK(number(table, 0, "epochs") == 2.5);
  CHECK(number(table, 0, "steps") == 50);
  CHECK(number(table_of_size(0), 0, "epochs") == 3);  // the length of an epoch is not known
}

TEST_CASE("the inference table has a row for each batch") {
  Frame frame = frame_of({run_at(1, 100)});
  frame.runs[0].inference = {{32, 0.01, 0.02, 3200}, {64, 0.02, 0.03, 3300}};
  const Table table = inference_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 1, "batch") == 64);
  CHECK(number(table, 1, "latency_p90_s") == 0.03);
  CHECK(number(table, 1, "samples_per_s") == 3300);
}

TEST_CASE("the inference table splits the latency of runs that measured its parts") {
  Frame frame = frame_of({run_at(1, 100), run_at(2, 100)});
  frame.runs[0].inference = {{32, 0.01, 0.02, 3200}};
  frame.runs[1].inference = {{32, 0.03, 0.04, 3300, 0.01, 0.02}};
  const Table table = inference_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 1, "compute_p50_s") == 0.01);
  CHECK(number(table, 1, "communication_p50_s") == 0.02);
  CHECK(is_empty(table, 0, "compute_p50_s"));
  frame.runs.pop_back();
  for (const Column& each : inference_table(frame, {}).columns) CHECK(each.id != "compute_p50_s");
}

TEST_CASE("the transfer table has the published formula, the bytes of a ring and the payload") {
  Frame frame = frame_of({run_at(4, 100)});
  RunRow& run = frame.runs[0];
  run.global_batch = 4096;
  run.size = {119586826, 60000, 15};
  run.steps.steps = 10;
  run.steps.bytes_sent = 10 * 4 * 119586826.0;
  const Table table = transfer_table(frame, {});
  REQUIRE(table.rows.size() == 1);
  CHECK(number(table, 0, "published_values_per_epoch") == Approx(1.75176014648e9));
  CHECK(number(table, 0, "ring_bytes_per_epoch") == Approx(15 * 1.5 * 4 * 119586826));
  CHECK(number(table, 0, "payload_bytes_per_epoch") == Approx(15 * 4 * 119586826.0));
  run.size = {};
  CHECK(transfer_table(frame, {}).rows.empty());
}

TEST_CASE("the bytes of a ring depend on the precision or on the gradient compression") {
  Frame frame = frame_of({run_at(4, 100)});
  RunRow& run = frame.runs[0];
  run.size = {1000, 60000, 15};
  const auto bytes_of = [&](const std::string& precision, const std::string& compression) {
    run.conditions["precision"] = precision;
    run.conditions["compression"] = compression;
    return number(transfer_table(frame, {}), 0, "ring_bytes_per_epoch") / (15 * 1.5 * 1000);
  };
  CHECK(bytes_of("fp32", "") == Approx(4));
  CHECK(bytes_of("bf16", "") == Approx(4));  // the gradients are in fp32
  CHECK(bytes_of("fp64", "") == Approx(8));
  CHECK(bytes_of("fp32", "fp16") == Approx(2));
  CHECK(bytes_of("fp64", "bf16") == Approx(2));
  run.conditions["compression"] = "powersgd";
  CHECK(is_empty(transfer_table(frame, {}), 0, "ring_bytes_per_epoch"));
}

TEST_CASE("jobs are grouped by partition and GPUs, with jobs that never started separate") {
  std::vector<RunRow> runs(4, run_at(4, 100));
  const double waits[] = {600, 1800, 60};
  for (std::size_t i = 0; i < 4; ++i) {
    runs[i].steps = {};
    runs[i].job = JobRow{.partition = "gpu", .elapsed_s = 3600, .timelimit_s = 7200, .gpus = 4};
    if (i < 3) runs[i].job->waited_s = waits[i];
  }
  runs[2].job->partition = "cpu";
  runs[2].job->gpus = 0;
  runs[3].outcome = "Cancelled";
  runs[3].job->elapsed_s = 0;
  runs[0].job->requested_memory_bytes = 8e9;
  runs[0].job->max_memory_bytes = 2e9;
  const Table table = jobs_table(frame_of(runs), {});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "gpu_hours") == 0);  // runs on CPUs use no GPU-hours
  CHECK(number(table, 1, "n") == 3);
  CHECK(number(table, 1, "started") == 2);
  CHECK(number(table, 1, "completed") == 2);
  CHECK(number(table, 1, "waited_s") == 1200);
  CHECK(number(table, 1, "waited_p90_s") == Approx(1680));
  CHECK(number(table, 1, "gpu_hours") == 8);
  CHECK(number(table, 1, "gpu_hours_of_job") == 4);
  CHECK(number(table, 1, "share_of_time_limit") == 0.5);
  CHECK(number(table, 1, "share_of_memory") == 0.25);
  CHECK(is_empty(table, 1, "energy_j"));
  CHECK(is_empty(table, 1, "energy_j_of_job"));
  runs[0].job->energy_j = 7.2e6;
  CHECK(number(jobs_table(frame_of(runs), {}), 1, "energy_j_of_job") == 7.2e6);
  CHECK_THAT(test::notes(table), Contains("of 3 jobs that started is incomplete: no memory for 2, "
                                          "no energy for 3; numbers do not include these jobs"));
}

TEST_CASE("collectives are listed by message size with medians over repeats") {
  Frame frame = frame_of({run_at(8, 100, "ddp", 1), run_at(8, 100, "ddp", 2)});
  for (RunRow& run : frame.runs) {
    run.steps = {};
    const double factor = run.repetition;
    run.collectives = {{"all_reduce", "float", false, 8, 1e-5 * factor, 2 / factor, 3.5, 0},
                       {"all_reduce", "float", true, 8, 1e-5, 1, 1.75, std::nan("")},
                       {"all_reduce", "float", false, 1024, 1e-4, 4, 7, 0}};
  }
  const Table table = collectives_table(frame, {});
  REQUIRE(table.rows.size() == 3);
  CHECK(number(table, 0, "size_bytes") == 8);
  CHECK(number(table, 0, "gpus") == 8);
  CHECK(number(table, 0, "n") == 2);
  CHECK(number(table, 0, "time_s") == Approx(1.5e-5));
  CHECK(number(table, 0, "algbw_gb_per_s") == Approx(1.5));
  CHECK(number(table, 0, "busbw_gb_per_s") == 3.5);
  CHECK(number(table, 1, "size_bytes") == 1024);
  CHECK(test::text(table, 2, "buffers") == "in place");
  CHECK(is_empty(table, 2, "wrong"));
  CHECK(first_metrics(frame) == Names{"collectives"});
}

TEST_CASE("a metric without a row reports what the runs lack") {
  const Frame frame = frame_of({run_at(1, 100), run_at(2, 100)});
  const auto why = [&](const char* name, const AnalysisOptions& options = {}) {
    return why_nothing(find_metric(name), frame, options);
  };
  CHECK(why("evaluation") ==
        "evaluation needs a completed run that was evaluated, and there is none");
  CHECK(why("jobs") == "jobs needs a job recorded by sacct or oarstat, and there is none");
  CHECK(why("fit") == "fit needs a curve of comparable runs at three GPU counts: there is none");
  CHECK_THAT(why("speedup", {.baseline = {"gpus", 4}}),
             Contains("speedup needs a baseline: no completed run at the baseline gpus=4 for") &&
                 Contains("(this curve has gpus=1, 2)"));
}

TEST_CASE("breakdown reports missing parts of steps, not missing steps") {
  RunRow timed = run_at(1, 100);
  timed.steps.parts_s = {};
  CHECK(why_nothing(find_metric("breakdown"), frame_of({timed}), {}) ==
        "breakdown needs a completed run that recorded the parts of its steps (load_wait, forward, "
        "…), and there is none");
  timed.steps.parts_s.back() = timed.steps.wall_s;  // only the part `other`
  CHECK_THAT(why_nothing(find_metric("breakdown"), frame_of({timed}), {}),
             Contains("breakdown needs a completed run that recorded the parts of its steps"));
}

TEST_CASE("completed runs without records do not count as used") {
  RunRow silent = run_at(2, 100);
  silent.has_records = false;
  CHECK(describe_use(frame_of({run_at(1, 100), silent})) ==
        "1 of 2 runs used, 1 completed without records");
}

TEST_CASE("a metric has rows exactly if runs have its data") {
  const Frame none = frame_of({});
  const Frame some = evaluated();
  for (const Metric& metric : metrics()) {
    INFO(metric.name);
    CHECK(metric.make(none, {}).rows.empty());
    const bool any = std::any_of(some.runs.begin(), some.runs.end(), metric.has);
    if (!any) CHECK(metric.make(some, {}).rows.empty());
    if (any && metric.also[0] == '\0') CHECK_FALSE(metric.make(some, {}).rows.empty());
  }
}

}  // namespace dlscale::analysis
