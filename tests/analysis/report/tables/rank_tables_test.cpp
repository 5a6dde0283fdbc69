// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::frame_of;
using test::number;
using test::run_at;
using test::table_of;
using test::text;

}  // namespace

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

}  // namespace dlscale::analysis
