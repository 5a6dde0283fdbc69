// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "analysis/report/tables/metrics.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::column;
using test::frame_of;
using test::is_empty;
using test::number;
using test::run_at;
using test::table_of;
using test::text;

RunRow trained(int repetition, double train_loss) {
  RunRow run = run_at(2, 1000, "ddp", repetition);
  run.epochs = {{.epoch = 0, .wall_s = 9, .train_loss = 2},
                {.epoch = 1, .wall_s = 5, .train_loss = train_loss, .train_accuracy = 0.75}};
  run.evals = {{.epoch = 1, .accuracy = 0.5, .loss = 1.5, .wall_s = 2}};
  return run;
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

}  // namespace dlscale::analysis
