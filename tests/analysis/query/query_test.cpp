// SPDX-License-Identifier: Apache-2.0
#include "analysis/query/query.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "analysis/report/tables/query_table.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::cell;
using test::frame_of;
using test::notes;
using test::number;
using test::run_at;
using test::text;

/// Three repeats on one GPU and two on two, of which one ran out of memory.
Frame measured() {
  RunRow failed = run_at(2, 1, "ddp", 2);
  failed.outcome = "OutOfMemory";
  return frame_of(
      {run_at(1, 100), run_at(1, 200, "ddp", 2), run_at(1, 400, "ddp", 3), run_at(2, 500), failed});
}

Table asked(const Frame& frame, const Query& query) {
  return query_table(frame, run_columns(frame), query, "a query");
}

std::string refused(const std::string& function, const std::string& column) {
  const Frame frame = measured();
  const std::vector<RunColumn> columns = run_columns(frame);
  return refusal(function, *find_column(columns, column));
}

}  // namespace

TEST_CASE("a query groups, aggregates and shows how many values each number rests on") {
  const Table table =
      asked(measured(), {.shown = {{"median", "samples_per_s"}, {"count", ""}}, .by = {"gpus"}});
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "gpus") == 1);
  CHECK(number(table, 0, "median_samples_per_s") == Approx(200));
  CHECK(number(table, 0, "n") == 3);
  CHECK(number(table, 1, "n") == 1);
  CHECK(number(table, 1, "count") == 2);  // the one that failed, too
  CHECK_THAT(notes(table), Contains("4 of 5 runs used, 1 failed (OutOfMemory 1)"));
}

TEST_CASE("the total of a rate is a sum over a sum, and no mean of rates") {
  const Table table = asked(measured(), {.shown = {{"total", "samples_per_s"}}, .by = {"gpus"}});
  // as many samples each: 3 / (1/100 + 1/200 + 1/400), their harmonic mean
  CHECK(number(table, 0, "total_samples_per_s") == Approx(3 / (0.01 + 0.005 + 0.0025)));
  CHECK_THAT(notes(table), Contains("samples_per_s = samples / wall_s"));
}

TEST_CASE("means of rates, sums of what does not add up and numbers of texts are refused") {
  CHECK_THAT(refused("mean", "samples_per_s"),
             Contains("a mean of rates is not a rate of anything") &&
                 Contains("total(samples_per_s) is the sum of samples / wall_s"));
  CHECK_THAT(refused("mean", "step_time_s"), Contains("median(step_time_s)"));
  CHECK_THAT(refused("mean", "exposed_comm_share"), Contains("total(exposed_comm_share)"));
  CHECK_THAT(refused("sum", "samples_per_s"), Contains("a sum of rates"));
  CHECK_THAT(refused("sum", "final_accuracy"), Contains("does not add up"));
  CHECK_THAT(refused("total", "samples"), Contains("sum(samples)"));
  CHECK_THAT(refused("median", "framework"), Contains("is a text"));
  CHECK(refused("mean", "final_accuracy").empty());
  CHECK(refused("sum", "gpu_hours").empty());
}

TEST_CASE("runs of different conditions are not put together unless told") {
  Frame frame = measured();
  frame.runs[1].conditions["gpu"] = "P100";
  Query query{.shown = {{"median", "samples_per_s"}, {"max", "samples_per_s"}, {"count", ""}},
              .by = {"gpus"}};
  const Table table = asked(frame, query);
  CHECK(std::holds_alternative<std::monostate>(cell(table, 0, "median_samples_per_s")));
  CHECK(number(table, 0, "max_samples_per_s") == Approx(400));
  CHECK(number(table, 0, "count") == 3);
  CHECK(number(table, 0, "n") == 3);  // values that it would have been made of
  CHECK_THAT(notes(table), Contains("not put together: gpus=1, gpu is \"A100\" and \"P100\" (add "
                                    "it to by, or --mixed)"));
  query.allow_mixed = true;
  const Table mixed = asked(frame, query);
  CHECK(number(mixed, 0, "median_samples_per_s") == Approx(200));
  CHECK_THAT(notes(mixed), Contains("warning: gpus=1 mixes conditions: gpu is"));
  query.by = {"gpus", "gpu"};
  CHECK(asked(frame, query).rows.size() == 3);
}

TEST_CASE("where nothing is put into one number nothing is said to be refused") {
  Frame frame = measured();
  frame.runs[1].conditions["gpu"] = "P100";
  for (const bool mixed : {false, true}) {
    Query query{.shown = {{"max", "samples_per_s"}, {"sum", "samples"}, {"count", ""}},
                .by = {"gpus"}};
    query.allow_mixed = mixed;
    const Table table = asked(frame, query);
    CHECK(number(table, 0, "n") == 3);
    CHECK_THAT(notes(table), !Contains("not put together") && !Contains("mixes conditions"));
  }
}

TEST_CASE("the middle of whole numbers is shown with its half, a mean with its digits") {
  Frame frame = frame_of({run_at(1, 100), run_at(2, 100), run_at(4, 100)});
  frame.axes.push_back({"rate", {"0.025", "1e-3"}});
  frame.runs[0].point["rate"] = "1e-3";
  const auto shown_as = [&](const std::string& function, const std::string& name,
                            std::function<bool(const RunRow&)> where = {}) {
    const Table table = asked(frame, {.shown = {{function, name}}, .where = std::move(where)});
    const std::size_t at = test::column(table, function + "_" + name);
    return shown(table.rows.at(0).at(at), table.columns.at(at), "-");
  };
  const auto small = [](const RunRow& run) { return run.gpus < 4; };
  CHECK(shown_as("median", "gpus") == "2");
  CHECK(shown_as("median", "gpus", small) == "1.5");
  CHECK(shown_as("mean", "gpus") == "2.33");
  CHECK(shown_as("max", "gpus") == "4");
  CHECK(shown_as("min", "rate") == "0.001");
}

TEST_CASE("what nobody knows of a run is nothing, not 0") {
  Frame frame = frame_of({run_at(2, 100), run_at(2, 100, "ddp", 2)});
  frame.runs[0].spent.kept_s = 1800;
  frame.runs[0].batch_per_gpu = 0;
  const Table table =
      asked(frame, {.shown = {{"sum", "gpu_hours"}, {"max", "lost_s"}, {"max", "batch_per_gpu"}},
                    .by = {"repetition"}});
  CHECK(number(table, 0, "sum_gpu_hours") == 1);
  CHECK(number(table, 0, "max_lost_s") == 0);
  CHECK(std::holds_alternative<std::monostate>(cell(table, 1, "sum_gpu_hours")));
  CHECK(std::holds_alternative<std::monostate>(cell(table, 1, "max_lost_s")));
  CHECK(std::holds_alternative<std::monostate>(cell(table, 0, "max_batch_per_gpu")));
}

TEST_CASE("of jobs a query can ask what their books say, and of no other runs") {
  Frame frame = frame_of({run_at(4, 100), run_at(4, 100, "ddp", 2)});
  CHECK(find_column(run_columns(frame), "waited_s") == nullptr);
  frame.runs[0].job = JobRow{.partition = "gpu", .waited_s = 90, .elapsed_s = 1800, .gpus = 4};
  const Table table =
      asked(frame, {.shown = {{"sum", "gpu_hours"}, {"max", "waited_s"}, {"max", "energy_j"}},
                    .by = {"partition"}});
  REQUIRE(table.rows.size() == 2);
  CHECK(text(table, 0, "partition") == "gpu");
  CHECK(number(table, 0, "sum_gpu_hours") == 2);
  CHECK(number(table, 0, "max_waited_s") == 90);
  CHECK(std::holds_alternative<std::monostate>(cell(table, 0, "max_energy_j")));
  CHECK(std::holds_alternative<std::monostate>(cell(table, 1, "max_waited_s")));
}

TEST_CASE("what groups put together of the study's axes is said") {
  const Table table = asked(measured(), {.shown = {{"median", "samples_per_s"}}});
  REQUIRE(table.rows.size() == 1);
  CHECK_THAT(notes(table), Contains("rows put together several values of gpus"));
  CHECK_THAT(notes(asked(measured(), {.shown = {{"count", ""}}, .by = {"gpus"}})),
             !Contains("put together"));
}

TEST_CASE("groups by a number stand by its size, those by an axis in the study's order") {
  Frame frame = frame_of(
      {run_at(1, 100, "horovod"), run_at(2, 100), run_at(4, 100), run_at(2, 100, "horovod")});
  const std::int64_t batches[] = {10, 21, 5, 0};
  for (std::size_t i = 0; i < 4; ++i) frame.runs[i].batch_per_gpu = batches[i];
  const Table table = asked(frame, {.shown = {{"count", ""}}, .by = {"batch_per_gpu"}});
  REQUIRE(table.rows.size() == 4);
  CHECK(number(table, 0, "batch_per_gpu") == 5);
  CHECK(number(table, 2, "batch_per_gpu") == 21);
  CHECK(std::holds_alternative<std::monostate>(cell(table, 3, "batch_per_gpu")));
  const Table by_axes = asked(frame, {.shown = {{"count", ""}}, .by = {"framework", "gpus"}});
  CHECK(text(by_axes, 0, "framework") == "ddp");
  CHECK(number(by_axes, 1, "gpus") == 4);
  CHECK(text(by_axes, 2, "framework") == "horovod");
}

TEST_CASE("a query says which of its amounts are of the time after the start-up") {
  const Table table = asked(measured(), {.shown = {{"sum", "samples"}, {"sum", "gpu_hours"}}});
  CHECK_THAT(notes(table),
             Contains("samples: of the step windows that the tables use: no start-up") &&
                 Contains("gpu_hours: of all training, with start-up"));
}

TEST_CASE("rows are filtered, sorted with nothing last, and cut") {
  Query query{.shown = {{"max", "samples_per_s"}}, .by = {"run_id"}};
  query.where = [](const RunRow& run) { return run.repetition < 3; };
  query.sort_by = "max(samples_per_s)";
  query.descending = true;
  const Table table = asked(measured(), query);
  REQUIRE(table.rows.size() == 4);
  CHECK(text(table, 0, "run_id") == "ddp-g2-r1");
  CHECK(text(table, 2, "run_id") == "ddp-g1-r1");
  CHECK(text(table, 3, "run_id") == "ddp-g2-r2");  // it has none
  query.limit = 1;
  CHECK(asked(measured(), query).rows.size() == 1);
}

TEST_CASE("aggregates that rest on different numbers of values have an n each") {
  Frame frame = measured();
  frame.runs[0].evals = {{0, 0.9, 1.0}};
  const Table table =
      asked(frame, {.shown = {{"median", "samples_per_s"}, {"median", "final_accuracy"}}});
  CHECK(number(table, 0, "n_median_samples_per_s") == 4);
  CHECK(number(table, 0, "n_median_final_accuracy") == 1);
}

TEST_CASE("an interval of few values is called a range") {
  const Table table = asked(measured(), {.shown = {{"interval", "samples_per_s"}}, .by = {"gpus"}});
  const Column& column = table.columns.back();
  CHECK(column.title == "range of samples_per_s");
  CHECK(std::get<Bounds>(table.rows[0].back()).high == Approx(400));
  CHECK(std::holds_alternative<std::monostate>(table.rows[1].back()));
}

TEST_CASE("columns are axes, conditions and measures, each name once") {
  const std::vector<std::string> names = names_of(run_columns(measured()));
  CHECK(names.front() == "framework");
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const char* name : {"gpus", "gpu", "outcome", "samples_per_s", "forward_share"}) {
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
}

TEST_CASE("parts and bytes that nobody recorded are nothing, of dlscale's records they are 0") {
  Frame frame = frame_of({run_at(2, 100), run_at(2, 100, "horovod")});
  frame.runs[1].conditions["trainer"] = "0.1";
  const Table table = asked(frame, {.shown = {{"max", "load_wait_s"},
                                              {"total", "load_wait_share"},
                                              {"sum", "bytes_sent"},
                                              {"median", "bytes_sent_per_step"},
                                              {"total", "forward_share"}},
                                    .by = {"framework"}});
  for (const char* name : {"max_load_wait_s", "total_load_wait_share", "sum_bytes_sent",
                           "median_bytes_sent_per_step"}) {
    INFO(name);
    CHECK(std::holds_alternative<std::monostate>(cell(table, 0, name)));
    CHECK(number(table, 1, name) == 0);
  }
  CHECK(number(table, 0, "total_forward_share") == Approx(0.3));
}

TEST_CASE("a query can ask for the gap between training and test loss") {
  Frame frame = frame_of({run_at(1, 100), run_at(1, 100, "ddp", 2)});
  frame.runs[0].epochs = {{0, 1, 0.5}};
  frame.runs[0].evals = {{0, 0.9, 0.75}};
  const Table table = asked(frame, {.shown = {{"median", "loss_gap"}}});
  CHECK(number(table, 0, "median_loss_gap") == 0.25);
  CHECK(number(table, 0, "n") == 1);
}

TEST_CASE("of logs that tell rates alone a query has these, and neither steps nor times") {
  Frame frame = frame_of({run_at(2, 100)});
  frame.runs[0].steps.tells_steps = false;
  const Table table = asked(frame, {.shown = {{"median", "samples_per_s"},
                                              {"median", "step_time_s"},
                                              {"sum", "steps"},
                                              {"sum", "wall_s"},
                                              {"sum", "forward_s"}}});
  CHECK(number(table, 0, "median_samples_per_s") == Approx(100));
  for (const char* name : {"median_step_time_s", "sum_steps", "sum_wall_s", "sum_forward_s"}) {
    INFO(name);
    CHECK(std::holds_alternative<std::monostate>(cell(table, 0, name)));
  }
}

}  // namespace dlscale::analysis
