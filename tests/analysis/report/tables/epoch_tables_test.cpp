// SPDX-License-Identifier: Apache-2.0
// Tests of the tables epochs, ranks, kernel-shares and counters.
#include <catch2/catch.hpp>

#include "analysis/report/tables/metrics.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::cell;
using test::column;
using test::frame_of;
using test::number;
using test::run_at;
using test::text;

bool is_empty(const Table& table, std::size_t row, const std::string& id) {
  return std::holds_alternative<std::monostate>(cell(table, row, id));
}

RunRow trained(int repetition, double train_loss) {
  RunRow run = run_at(2, 1000, "ddp", repetition);
  run.epochs = {{.epoch = 0, .wall_s = 9, .train_loss = 2},
                {.epoch = 1, .wall_s = 5, .train_loss = train_loss, .train_accuracy = 0.75}};
  run.evals = {{.epoch = 1, .accuracy = 0.5, .loss = 1.5, .wall_s = 2}};
  return run;
}

Table table_of(const char* metric, const Frame& frame) {
  return make_report(find_metric(metric), frame, {}, {}).tables.at(0);
}

}  // namespace

TEST_CASE("the epochs table has medians and ranges of training and test for each epoch") {
  const Table table = table_of("epochs", frame_of({trained(1, 1), trained(2, 1.5), trained(3, 3)}));
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "epoch") == 1);
  CHECK(is_empty(table, 0, "test_loss"));
  CHECK(is_empty(table, 0, "train_accuracy"));
  CHECK(number(table, 1, "epoch") == 2);
  CHECK(number(table, 1, "n") == 3);
  CHECK(number(table, 1, "train_loss") == 1.5);
  const Bounds range = std::get<Bounds>(table.rows[1][column(table, "train_loss") + 1]);
  CHECK(range.low == 1);
  CHECK(range.high == 3);
  CHECK(number(table, 1, "test_loss") == 1.5);
  CHECK(number(table, 1, "train_accuracy") == 0.75);
  CHECK(number(table, 1, "test_accuracy") == 0.5);
  CHECK(number(table, 1, "epoch_time_s") == 5);
  CHECK(number(table, 1, "eval_time_s") == 2);
}

TEST_CASE("the epochs table has no columns of results that no run recorded") {
  RunRow run = trained(1, 1);
  run.task = "translation";  // an accuracy of 0 has no meaning
  for (EpochRow& epoch : run.epochs) epoch.train_accuracy.reset();
  const Table table = table_of("epochs", frame_of({run}));
  CHECK_THROWS_AS(column(table, "test_accuracy"), base::RunError);
  CHECK_THROWS_AS(column(table, "train_accuracy"), base::RunError);
  CHECK(number(table, 1, "train_loss") == 1);
}

TEST_CASE("an evaluation of an unknown epoch is not a row of the epochs table") {
  RunRow run = run_at(1, 1000);
  run.evals = {{.epoch = -1, .accuracy = 0.5, .loss = 1}};
  const Frame frame = frame_of({run});
  const Metric& metric = find_metric("epochs");
  CHECK(table_of("epochs", frame).rows.empty());
  CHECK(why_nothing(metric, frame, {}) ==
        "epochs needs a completed run that recorded its epochs, and there is none");
}

TEST_CASE("the ranks table has each rank of the last epoch and the mean over the ranks") {
  RunRow run = run_at(2, 1000);
  run.ranks = {{.epochs = {{.steps = 5, .work_s = {9, 9}, .epoch = 0},
                           {.steps = 10,
                            .work_s = {1, 2},
                            .epoch = 1,
                            .train_loss = {0.5, 1.5},
                            .train_accuracy = {0.25, 0.75}}}}};
  run.evals = {{.epoch = 1,
                .accuracy = 0.5,
                .loss = 1,
                .rank_loss = {1, 3},
                .rank_accuracy = {0.4, 0.6},
                .rank_wall_s = {0.1, 0.3}}};
  const Table table = table_of("ranks", frame_of({run}));
  REQUIRE(table.rows.size() == 3);
  CHECK(text(table, 0, "rank") == "0");
  CHECK(text(table, 2, "rank") == "mean");
  CHECK(number(table, 1, "steps") == 10);
  CHECK(number(table, 1, "work_s") == 2);
  CHECK(number(table, 1, "train_loss") == 1.5);
  CHECK(number(table, 1, "train_accuracy") == 0.75);
  CHECK(number(table, 1, "test_loss") == 3);
  CHECK(number(table, 1, "test_accuracy") == 0.6);
  CHECK(number(table, 1, "eval_time_s") == 0.3);
  CHECK(number(table, 2, "work_s") == 1.5);
  CHECK(number(table, 2, "test_accuracy") == Approx(0.5));
}

TEST_CASE("the rank-epochs table has each rank of each epoch and the mean over the ranks") {
  RunRow run = run_at(2, 1000);
  run.epochs = {{.epoch = 0, .train_loss = 2}, {.epoch = 1, .train_loss = 1}};
  run.ranks = {{.epochs = {{.steps = 5, .work_s = {9, 9}, .epoch = 0, .train_loss = {2, 4}},
                           {.steps = 5, .work_s = {1, 2}, .epoch = 1, .train_loss = {0.5, 1.5}}}}};
  run.evals = {{.epoch = 1, .accuracy = 0.5, .loss = 1, .rank_loss = {1, 3}}};
  const Table table = table_of("rank-epochs", frame_of({run}));
  REQUIRE(table.rows.size() == 6);
  CHECK(number(table, 0, "epoch") == 1);
  CHECK(number(table, 3, "epoch") == 2);
  CHECK(text(table, 1, "rank") == "1");
  CHECK(number(table, 1, "train_loss") == 4);
  CHECK(text(table, 2, "rank") == "mean");
  CHECK(number(table, 2, "train_loss") == 3);
  CHECK(number(table, 4, "test_loss") == 3);
}

TEST_CASE("a run of one rank has no row in the ranks table") {
  RunRow run = run_at(1, 1000);
  run.evals = {{.epoch = 0, .accuracy = 0.5, .rank_loss = {1}}};
  CHECK(table_of("ranks", frame_of({run})).rows.empty());
}

TEST_CASE("shares of kernel time come from sums over the profiles of all repeats") {
  RunRow first = run_at(4, 1000, "ddp", 1), second = run_at(4, 1000, "ddp", 2);
  first.size.steps_per_epoch = 100;
  first.profiles = {{.steps = 10,
                     .wall_s = 2,
                     .kernel_s = 3,
                     .communication = 0.5,
                     .io = 0.25,
                     .computation = 0.25,
                     .cpu_occupancy = 0.3},
                    {.steps = 10, .kernel_s = 0}};  // a block without kernels
  second.profiles = {{.steps = 10,
                      .wall_s = 6,
                      .kernel_s = 1,
                      .communication = 0.1,
                      .computation = 0.5,
                      .other = 0.4,
                      .cpu_occupancy = 0.7}};
  const Table table = table_of("kernel-shares", frame_of({first, second}));
  REQUIRE(table.rows.size() == 1);
  CHECK(number(table, 0, "n") == 2);
  CHECK(number(table, 0, "profiled_steps") == 20);
  CHECK(number(table, 0, "communication") == Approx(0.4));
  CHECK(number(table, 0, "io") == Approx(0.1875));
  CHECK(number(table, 0, "computation") == Approx(0.3125));
  CHECK(number(table, 0, "other") == Approx(0.1));
  CHECK(number(table, 0, "cpu_occupancy") == Approx(0.6));
  CHECK(number(table, 0, "io_s_per_epoch") == Approx(0.75 / 20 * 100));
}

TEST_CASE("the seconds of I/O are absent if the steps of an epoch are unknown") {
  RunRow run = run_at(4, 1000);
  run.profiles = {{.steps = 10, .wall_s = 2, .kernel_s = 3, .computation = 1}};
  CHECK(is_empty(table_of("kernel-shares", frame_of({run})), 0, "io_s_per_epoch"));
}

TEST_CASE("the counters table has a row for each counter, per step and per epoch") {
  RunRow run = run_at(4, 1000);
  run.size.steps_per_epoch = 50;
  run.counters = {{"horovod_cycles", 3}, {"skipped_steps", 0.5}};
  run.steps.bytes_sent = 800;
  run.steps.collectives = 200;
  const Table table = table_of("counters", frame_of({run}));
  REQUIRE(table.rows.size() == 4);
  CHECK(text(table, 0, "counter") == "bytes_sent");
  CHECK(number(table, 0, "per_step") == 8);
  CHECK(text(table, 1, "counter") == "collectives");
  CHECK(number(table, 1, "per_epoch") == 100);
  CHECK(text(table, 2, "counter") == "horovod_cycles");
  CHECK(number(table, 2, "per_epoch") == 150);
  CHECK(number(table, 3, "per_step") == 0.5);
}

TEST_CASE("a study without counters has no row in the counters table") {
  const Frame frame = frame_of({run_at(4, 1000)});
  CHECK(table_of("counters", frame).rows.empty());
  CHECK(why_nothing(find_metric("counters"), frame, {}) ==
        "counters needs a completed run that counted bytes or events in its steps, and there is "
        "none");
}

}  // namespace dlscale::analysis
