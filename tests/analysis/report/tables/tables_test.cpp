// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/tables.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/tables/metrics.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::column;
using test::frame_of;
using test::notes;
using test::number;
using test::run_at;

/// Returns a cell whose position is counted from the end of the row.
const Cell& cell_of(const Table& table, std::size_t row, std::size_t from_end) {
  return table.rows.at(row).at(table.columns.size() - from_end);
}

Frame measured_table() {
  RunRow failed = run_at(8, 1);
  failed.outcome = "OutOfMemory";
  return frame_of({run_at(1, 1000), run_at(4, 3600), failed, run_at(1, 900, "horovod"),
                   run_at(4, 3500, "horovod")});
}

}  // namespace

TEST_CASE("a table has intervals from six repeats on, and notes \"no interval\" below") {
  Frame frame = frame_of({});
  for (int i = 1; i <= 5; ++i) frame.runs.push_back(run_at(1, 1000 + i, "ddp", i));
  CHECK_THAT(
      notes(efficiency_table(frame, {})),
      Contains("median of n = 5 repeats; ranges from minimum to maximum (no interval for n < 6)"));
  frame.runs.push_back(run_at(1, 1006, "ddp", 6));
  CHECK_THAT(notes(efficiency_table(frame, {})),
             Contains("95 % intervals from order statistics") && !Contains("no interval"));
}

TEST_CASE("the efficiency table has its rows and describes their basis") {
  const Table table = efficiency_table(measured_table(), {});
  REQUIRE(table.rows.size() == 5);
  CHECK(number(table, 0, "efficiency") == 1);
  CHECK(number(table, 1, "gpus") == 4);
  CHECK(number(table, 1, "efficiency") == Approx(0.9));
  CHECK(number(table, 1, "speedup") == Approx(3.6));
  CHECK(number(table, 1, "throughput_samples_per_s") == Approx(3600));
  CHECK_THAT(notes(table),
             Contains("baseline: 1 GPU (1 node), the smallest count common to all curves"));
  CHECK_THAT(notes(table), Contains("weak scaling") && Contains("n = 1"));
  CHECK_THAT(notes(table), Contains("4 of 5 runs used, 1 failed (OutOfMemory 1)"));
  CHECK_THAT(notes(table), Contains("gpu A100"));
}

TEST_CASE("a table without any baseline does not name a rule that found none") {
  const Frame frame = frame_of({run_at(1, 1000), run_at(2, 1900, "horovod")});
  const std::string text = notes(efficiency_table(frame, {}));
  CHECK_THAT(text, Contains("baseline: none, so no speed-up and no efficiency is computed") &&
                       Contains("no common GPU count") && !Contains("the smallest count"));
}

TEST_CASE("a point at which all runs failed is a row with the reason instead of numbers") {
  for (const auto& make : {&efficiency_table, &throughput_table, &definitions_table}) {
    const Table table = make(measured_table(), {});
    INFO(table.id);
    REQUIRE(table.rows.size() == 5);
    CHECK(number(table, 2, "gpus") == 8);
    CHECK(std::get<std::string>(table.rows[2].back()) == "OutOfMemory (1 run)");
    CHECK(std::holds_alternative<std::monostate>(table.rows[2][column(table, "n")]));
    CHECK(std::holds_alternative<std::monostate>(table.rows[1].back()));
    CHECK(table.columns.back().id == "no_result");
  }
}

TEST_CASE("a point with a completed, cancelled or unfinished run is not a failed point") {
  for (const char* outcome : {"Completed", "Cancelled", "Preempted", kUnfinished, kNotStarted}) {
    INFO(outcome);
    RunRow failed = run_at(8, 1), other = run_at(8, 1, "ddp", 2);
    failed.outcome = "OutOfMemory";
    other.outcome = outcome;
    const Table table = throughput_table(frame_of({run_at(1, 1000), failed, other}), {});
    CHECK_THROWS_AS(column(table, "no_result"), base::RunError);
  }
}

TEST_CASE("a study without a completed run has no rows of failed points") {
  RunRow failed = run_at(8, 1);
  failed.outcome = "Diverged";
  CHECK(efficiency_table(frame_of({failed}), {}).rows.empty());
}

TEST_CASE("the breakdown has the seconds of loading in an epoch") {
  RunRow run = run_at(1, 1000), unknown = run_at(2, 1000);
  run.conditions["trainer"] = unknown.conditions["trainer"] = "1.0";
  run.steps.parts_s[0] = 2;  // 2 s in 100 steps
  run.counters = {{"loader_busy_s", 0.05}};
  run.size.steps_per_epoch = 500;
  const Table table = breakdown_table(frame_of({run, unknown}), {});
  CHECK(number(table, 0, "load_wait_s_per_epoch") == Approx(10));
  CHECK(number(table, 0, "loader_busy_s_per_epoch") == Approx(25));
  CHECK(std::holds_alternative<std::monostate>(table.rows[1].back()));
}

TEST_CASE("points without a baseline keep their row, and a note gives the reason") {
  const Table table = efficiency_table(measured_table(), {{"gpus", 2}});
  REQUIRE(table.rows.size() == 5);
  CHECK(std::holds_alternative<std::monostate>(table.rows[0][column(table, "efficiency")]));
  CHECK(number(table, 0, "throughput_samples_per_s") == Approx(1000));
  CHECK_THAT(notes(table), Contains("no completed run at the baseline gpus=2 for framework=ddp"));
}

TEST_CASE("mixed devices give no efficiency, or a warning when allowed") {
  Frame frame = measured_table();
  frame.runs[1].conditions["gpu"] = "P100";
  const Table refused = efficiency_table(frame, {});
  CHECK(std::holds_alternative<std::monostate>(refused.rows[0][column(refused, "efficiency")]));
  CHECK(number(refused, 3, "efficiency") == 1);
  const Table allowed = efficiency_table(frame, {{}, true});
  CHECK(number(allowed, 1, "efficiency") == Approx(0.9));
  CHECK_THAT(notes(allowed), Contains("warning") && Contains("mixes conditions"));
}

TEST_CASE("more than 5 % better than ideal is flagged") {
  const Table table = efficiency_table(frame_of({run_at(1, 100), run_at(2, 230)}), {});
  CHECK_THAT(notes(table), Contains("more than 5 % better than ideal") && Contains("at gpus=2"));
}

TEST_CASE("on CPUs the tables count ranks") {
  Frame frame = measured_table();
  for (RunRow& run : frame.runs) run.conditions["device"] = "cpu";
  const Table table = efficiency_table(frame, {});
  CHECK(table.columns[column(table, "gpus")].title == "ranks");
  CHECK_THAT(notes(table), Contains("baseline: 1 rank (1 node)"));
}

TEST_CASE("runs with only a start-up window are used and noted") {
  Frame frame = measured_table();
  frame.runs[0].steps.includes_warmup = true;
  CHECK_THAT(notes(efficiency_table(frame, {})), Contains("1 run has only start-up windows"));
}

TEST_CASE("the note on start-up matches the times that were left out") {
  Frame frame = measured_table();
  const auto origin = [&] { return notes(throughput_table(frame, {})); };
  CHECK_THAT(origin(), Contains("from all recorded steps, including any start-up"));
  frame.runs[0].steps.leaves_out_warmup = true;
  CHECK_THAT(origin(), Contains("without the start-up for 1 of 4 runs; "));
  for (RunRow& run : frame.runs) run.steps.leaves_out_warmup = true;
  CHECK_THAT(origin(), Contains("from all step windows except those of the start-up; "));
  for (RunRow& run : frame.runs) run.steps.leaves_out_warmup = run.steps.tells_steps = false;
  CHECK_THAT(origin(), Contains("throughput from the logs (harmonic mean of several values)"));
}

TEST_CASE("an unknown batch is empty, and the table notes the number of such runs") {
  Frame frame = frame_of({run_at(1, 100), run_at(4, 300)});
  frame.scaling = "strong";
  frame.runs[0].point["global_batch"] = "64";
  frame.runs[1].batch_per_gpu = frame.runs[1].global_batch = 0;
  const Table table = efficiency_table(frame, {{"per-curve", 0}});
  CHECK(test::text(table, 0, "global_batch") == "64");
  CHECK(std::holds_alternative<std::monostate>(table.rows[1][column(table, "global_batch")]));
  CHECK_THAT(notes(table), Contains("the global batch is unknown for 1 of 2 runs") &&
                               !Contains("samples per step instead of") &&
                               !Contains("global_batch=0"));
  CHECK(table.columns.back().id != "real_global_batch");
}

TEST_CASE("every metric makes a table whose rows fit its columns, even without runs") {
  Frame frame = measured_table();
  frame.runs.push_back(run_at(2, 1900));  // a law needs three points
  for (RunRow& run : frame.runs) {
    run.epochs = {{0, 10, 0.9}};
    run.evals = {{0, 0.5, 1.0}};
    run.targets = {{"loss", 1.0, 0, 2.5, 1000}};
    run.profiles = {{.steps = 10, .wall_s = 2, .kernel_s = 1, .computation = 1}};
    run.counters = {{"skipped_steps", 0.1}};
    run.measured = {{{"mfu", "%"}, 40}};
    run.inference = {{32, 0.01, 0.02, 3200}};
    run.size = {1000, 60000, 100};
    run.ranks = {{1, 0, {"n1", "n2"}, {{100, {1.5, 1.6}}}}};
    run.collectives = {{"all_reduce", "float", false, 1024, 1e-4, 4, 7, 0}};
    run.job = JobRow{.partition = "gpu", .elapsed_s = 3600, .gpus = 4};
  }
  KeptPrediction kept;
  kept.said.gpus = frame.runs[0].gpus;
  kept.said.step_s = {0.1, 0.09, 0.11};
  kept.run_ids = {frame.runs[0].run_id};
  frame.predictions = {kept};
  for (const Metric& metric : metrics()) {
    INFO(metric.name);
    const Table table = metric.make(frame, {});
    CHECK_FALSE(table.rows.empty());
    for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
    CHECK_FALSE(table.notes.empty());
    CHECK(metric.make(frame_of({}), {}).rows.empty());
  }
}

TEST_CASE("the shares of the breakdown table add up to 1") {
  Frame frame = measured_table();
  for (RunRow& run : frame.runs) run.conditions["trainer"] = "0.1";
  const Table table = breakdown_table(frame, {});
  CHECK_THAT(notes(table), !Contains("not recorded"));
  double sum = 0;
  for (const char* part : contract::kStepPartNames) {
    sum += number(table, 0, std::string(part) + "_share");
  }
  CHECK(sum == Approx(1));
}

TEST_CASE("parts that were not recorded have no number, and a note names them") {
  const Table table = breakdown_table(measured_table(), {});
  CHECK(std::holds_alternative<std::monostate>(table.rows[0][column(table, "load_wait_share")]));
  CHECK(number(table, 0, "forward_share") == Approx(0.3));
  CHECK_THAT(notes(table), Contains("not recorded (unknown, not 0): load_wait, h2d, "
                                    "exposed_comm, optimizer, bubble; their time is included"));
  Frame some = measured_table();
  some.runs[0].steps.parts_s[0] = 0.1;
  CHECK_THAT(notes(breakdown_table(some, {})), Contains("; at some points load_wait; their time"));
}

TEST_CASE("logs with rates only give no step times but keep speed-ups") {
  Frame frame = frame_of({run_at(1, 1000), run_at(2, 1800), run_at(4, 3600)});
  for (RunRow& run : frame.runs) {
    run.steps.tells_steps = false;
    run.steps.steps = run.steps.samples;
  }
  const auto nothing_at = [](const Table& table, const char* id) {
    return std::holds_alternative<std::monostate>(table.rows.at(0).at(column(table, id)));
  };
  const Table efficiencies = efficiency_table(frame, {});
  CHECK(nothing_at(efficiencies, "step_time_s"));
  CHECK(number(efficiencies, 2, "efficiency") == Approx(0.9));
  CHECK(nothing_at(breakdown_table(frame, {}), "step_time_s"));
  CHECK(nothing_at(definitions_table(frame, {}), "slowest_rank_s"));
  CHECK(nothing_at(cost_table(frame, {}), "gpu_hours_spent"));
  CHECK(fit_table(frame, {}).rows.empty());
  CHECK_THAT(notes(fit_table(frame, {})), Contains("no law, its logs do not report steps"));
}

TEST_CASE("without recorded loading the definitions have no loading times but keep their rates") {
  Frame frame = measured_table();
  const Table without = definitions_table(frame, {});
  CHECK(std::holds_alternative<std::monostate>(without.rows[0][column(without, "load_s")]));
  CHECK(number(without, 0, "throughput_mean_samples_per_s") == Approx(1000));
  for (RunRow& run : frame.runs) run.steps.parts_s[0] = 0.01;
  CHECK(number(definitions_table(frame, {}), 0, "load_s") == Approx(0.0001));
}

TEST_CASE("an absolute speed-up names its reference and the number of its measurements") {
  Frame frame = measured_table();
  frame.runs.push_back(run_at(1, 1250, "single", 1));
  frame.runs.push_back(run_at(1, 1250, "single", 2));
  const Table table = efficiency_table(frame, {{"framework=single", 1}});
  CHECK(number(table, 0, "speedup") == Approx(0.8));
  CHECK(number(table, 1, "speedup") == Approx(3600 / 1250.0));
  CHECK(number(table, 4, "efficiency") == Approx(3500 / 1250.0 / 4));
  CHECK(std::holds_alternative<Bounds>(cell_of(table, 0, 2)));  // the column before no_result
  CHECK_THAT(notes(table), Contains("baseline: 1 GPU (1 node) with framework=single, as chosen; "
                                    "speed-ups are absolute: relative to the throughput of the "
                                    "otherwise equal runs with framework=single (n = 2)"));
  for (RunRow& run : frame.runs) run.conditions["gpu"] = run.point["framework"];
  CHECK_THAT(
      notes(efficiency_table(frame, {{"framework=single", 1}, true})),
      Contains("warning: framework=ddp mixes conditions: gpu is \"single\" in the baseline"));
}

TEST_CASE("the accuracy table lists points by global batch") {
  Frame frame = frame_of({run_at(4, 1), run_at(1, 1)});
  frame.runs[0].evals = {{0, 0.90, 1.0}};
  frame.runs[1].evals = {{0, 0.97, 1.0}};
  const Table table = accuracy_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "global_batch") == 64);
  CHECK(number(table, 0, "final_accuracy") == 0.97);
  CHECK(number(table, 1, "global_batch") == 256);
}

TEST_CASE("the accuracy table has a row for a point whose repeats all diverged") {
  Frame frame = frame_of({run_at(1, 1), run_at(4, 1)});
  frame.runs[0].evals = {{0, 0.97, 1.0}};
  frame.runs[1].outcome = "Diverged";
  const Table table = accuracy_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "diverged") == 0);
  CHECK(number(table, 1, "global_batch") == 256);
  CHECK(number(table, 1, "n") == 0);
  CHECK(number(table, 1, "diverged") == 1);
}

TEST_CASE("a global batch that was rounded down is shown next to the requested one") {
  Frame frame = frame_of({run_at(1, 1000), run_at(3, 2700)});
  frame.scaling = "strong";
  frame.runs[1].global_batch = 63;
  for (RunRow& run : frame.runs) {
    run.point["global_batch"] = "64";
    run.evals = {{0, 0.9, 1.0}};
  }
  const Table table = efficiency_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 1, "efficiency") == Approx(0.9));
  CHECK(number(table, 1, "real_global_batch") == 63);
  CHECK_THAT(notes(table),
             Contains("gpus=3 process 63 samples per step instead of the global batch 64\n"));
  const Table accuracy = accuracy_table(frame, {});
  CHECK(number(accuracy, 0, "global_batch") == 63);
  CHECK_THAT(notes(accuracy), Contains("gpus=3 process 63 samples"));
  frame.runs[1].global_batch = 64;
  CHECK(efficiency_table(frame, {}).columns.back().id == "efficiency");
}

TEST_CASE("a batch that GPUs share unevenly is explained, and the global batch is kept") {
  Frame frame = frame_of({run_at(1, 1000), run_at(3, 2700)});
  frame.scaling = "strong";
  for (RunRow& run : frame.runs) run.point["global_batch"] = "64";
  frame.runs[0].batch_per_gpu = frame.runs[0].global_batch = 64;
  frame.runs[1].batch_per_gpu = 0;
  frame.runs[1].global_batch = 64;
  frame.runs[1].conditions["trainer"] = "dlscale-train";
  const Table table = efficiency_table(frame, {});
  CHECK_THAT(notes(table),
             Contains("runs with gpus=3 divide 64 samples per step into 21 or 22 per GPU\n") &&
                 !Contains("gpus=1 divide"));
  frame.runs[1].conditions.erase("trainer");
  CHECK_THAT(notes(efficiency_table(frame, {})), !Contains("gpus=3 divide"));
  CHECK(table.columns.back().id == "efficiency");
}

TEST_CASE("shared conditions are those of the runs in use") {
  Frame frame = measured_table();
  frame.runs[2].conditions.clear();  // a failed run has no recorded conditions
  CHECK_THAT(notes(efficiency_table(frame, {})), Contains("all runs: device cuda, gpu A100"));
  frame.runs[1].conditions.erase("gpu");
  CHECK_THAT(notes(efficiency_table(frame, {})), !Contains("gpu A100"));
  CHECK_THAT(notes(efficiency_table(frame_of({}), {})), Contains("no run was used"));
}

TEST_CASE("axes that --by does not name divide the report into tables") {
  const Metric& metric = find_metric("efficiency");
  const Report whole = make_report(metric, measured_table(), {}, {});
  CHECK(whole.tables.size() == 1);
  CHECK(make_report(metric, measured_table(), {}, {"framework"}).tables.size() == 1);
  const Report divided = make_report(metric, measured_table(), {}, {"batch_per_gpu"});
  REQUIRE(divided.tables.size() == 2);
  CHECK_THAT(divided.tables[0].title, Contains("framework=ddp"));
  CHECK(divided.tables[1].id == "efficiency-horovod");
}

TEST_CASE("unknown metrics and axes are usage errors with the nearest name") {
  CHECK_THROWS_WITH(find_metric("eficiency"), Contains("did you mean \"efficiency\""));
  CHECK_THROWS_WITH(make_report(find_metric("efficiency"), measured_table(), {}, {"framwork"}),
                    Contains("--by: unknown axis \"framwork\"; did you mean \"framework\""));
}

TEST_CASE("the heading of an axis is the end of its name, and its column has the whole name") {
  Frame frame = frame_of({run_at(1, 100, "vgg16"), run_at(1, 90, "alexnet")});
  for (RunRow& run : frame.runs) {
    run.point["models.frozen_backbone.backbone"] = run.point["framework"];
    run.point.erase("framework");
  }
  const Table table = throughput_table(frame, {});
  CHECK(table.columns.front().id == "models.frozen_backbone.backbone");
  CHECK(table.columns.front().title == "backbone");
}

}  // namespace dlscale::analysis
