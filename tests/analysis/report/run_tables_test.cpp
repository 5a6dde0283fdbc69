// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "analysis/report/metrics.hpp"
#include "analysis/report/tables.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::cell;
using test::frame_of;
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

TEST_CASE("the tables shown first are those of what the runs learn") {
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

TEST_CASE("of inference alone the latencies are shown") {
  RunRow run = run_at(1, 100);
  run.steps = {};
  run.inference = {{32, 0.01, 0.02, 3000}};
  CHECK(first_metrics(frame_of({run})) == Names{"inference"});
}

TEST_CASE("the evaluation table shows what each task measures, and nothing where it does not") {
  const Table table = evaluation_table(evaluated(), {});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "n") == 2);
  CHECK(number(table, 0, "test_loss") == 0.5);
  CHECK(number(table, 0, "top5_accuracy") == Approx(0.92));
  CHECK(std::holds_alternative<std::monostate>(cell(table, 0, "bleu")));
  CHECK(number(table, 1, "bleu") == 15.5);
  for (const Column& column : table.columns) {
    if (column.id == "top5_accuracy") CHECK(column.unit == "%");
    if (column.id == "bleu") CHECK(column.unit.empty());
  }
}

TEST_CASE("time to a target is of the repeats that reached it, and says how many did") {
  Frame frame = evaluated();
  frame.runs[0].targets = {{"accuracy", 0.6, 1, 12.5, 2000}};
  const Table table = time_to_target_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  CHECK(std::get<std::string>(cell(table, 0, "target")) == "accuracy >= 0.6");
  CHECK(number(table, 0, "n") == 2);
  CHECK(number(table, 0, "reached") == 1);
  CHECK(number(table, 0, "train_s") == 12.5);
  CHECK(number(table, 0, "epochs") == 2);
  CHECK(number(table, 0, "samples") == 2000);
  CHECK(number(table, 1, "reached") == 0);
  CHECK(std::holds_alternative<std::monostate>(cell(table, 1, "train_s")));
  CHECK(time_to_target_table(evaluated(), {}).rows.empty());
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

TEST_CASE("the transfer table has the published formula, the ring's bytes and the payload") {
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

TEST_CASE("the ring's bytes are those of the precision, or of what gradients are compressed to") {
  Frame frame = frame_of({run_at(4, 100)});
  RunRow& run = frame.runs[0];
  run.size = {1000, 60000, 15};
  const auto bytes_of = [&](const std::string& precision, const std::string& compression) {
    run.conditions["precision"] = precision;
    run.conditions["compression"] = compression;
    return number(transfer_table(frame, {}), 0, "ring_bytes_per_epoch") / (15 * 1.5 * 1000);
  };
  CHECK(bytes_of("fp32", "") == Approx(4));
  CHECK(bytes_of("bf16", "") == Approx(4));  // its gradients are in fp32
  CHECK(bytes_of("fp64", "") == Approx(8));
  CHECK(bytes_of("fp32", "fp16") == Approx(2));
  CHECK(bytes_of("fp64", "bf16") == Approx(2));
  run.conditions["compression"] = "powersgd";
  CHECK(std::holds_alternative<std::monostate>(
      cell(transfer_table(frame, {}), 0, "ring_bytes_per_epoch")));
}

}  // namespace dlscale::analysis
