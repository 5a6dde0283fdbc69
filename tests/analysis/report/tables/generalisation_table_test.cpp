// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::notes;
using test::number;
using test::run_at;

/// Returns a run of two epochs, each with an evaluation. The last epoch has the losses `train_loss`
/// and `test_loss`.
RunRow learnt(double train_loss, double test_loss, int repetition = 1) {
  RunRow run = run_at(2, 100, "ddp", repetition);
  run.epochs = {{0, 10, 2.0}, {1, 10, train_loss}};
  run.evals = {{0, 0.3, 2.5}, {1, 0.6, test_loss}};
  return run;
}

}  // namespace

TEST_CASE("the loss gap is test - training loss after the last evaluated epoch") {
  const auto gap = loss_gap(learnt(0.5, 0.75));
  REQUIRE(gap.has_value());
  CHECK(gap->train == 0.5);
  CHECK(gap->test == 0.75);
  CHECK(gap->gap == 0.25);
  RunRow early = learnt(0.5, 0.75);
  early.evals.pop_back();
  CHECK(loss_gap(early)->gap == 0.5);  // the gap of epoch 0
}

TEST_CASE("a run without one of the two losses has no gap") {
  const double none = std::nan("");
  CHECK_FALSE(loss_gap(learnt(none, 0.75)).has_value());
  CHECK_FALSE(loss_gap(learnt(0.5, none)).has_value());
  RunRow run = learnt(0.5, 0.75);
  run.epochs.pop_back();
  CHECK_FALSE(loss_gap(run).has_value());
  run = learnt(0.5, 0.75);
  run.outcome = "Failed";
  CHECK_FALSE(loss_gap(run).has_value());
}

TEST_CASE("the accuracy gap requires a recorded training accuracy") {
  RunRow run = learnt(0.5, 0.75);
  CHECK_FALSE(accuracy_gap(run).has_value());
  run.metrics["train_accuracy"] = 0.9;
  CHECK(accuracy_gap(run)->gap == Approx(0.3));
}

TEST_CASE("the table has the median gap of the runs with n and range, and names excluded runs") {
  const Table table =
      generalisation_table(frame_of({learnt(0.5, 0.7), learnt(0.4, 0.7, 2), learnt(0.3, 0.8, 3),
                                     learnt(std::nan(""), 0.8, 4)}),
                           {});
  REQUIRE(table.rows.size() == 1);
  CHECK(number(table, 0, "epochs") == 2);
  CHECK(number(table, 0, "n") == 3);
  CHECK(number(table, 0, "train_loss") == 0.4);
  CHECK(number(table, 0, "test_loss") == 0.7);
  CHECK(number(table, 0, "loss_gap") == Approx(0.3));
  const Bounds range = std::get<Bounds>(table.rows[0].back());
  CHECK(range.low == Approx(0.2));
  CHECK(range.high == Approx(0.5));
  CHECK(table.columns.back().title == "range");
  CHECK_THAT(notes(table), Contains("1 evaluated run omitted") && Contains("was not recorded"));
}

TEST_CASE("accuracies have columns if any run recorded the training accuracy") {
  Frame frame = frame_of({learnt(0.5, 0.7), learnt(0.4, 0.7, 2)});
  frame.runs[0].metrics["train_accuracy"] = 0.9;
  const Table table = generalisation_table(frame, {});
  CHECK(number(table, 0, "n") == 2);
  CHECK(number(table, 0, "n_accuracy") == 1);
  CHECK(number(table, 0, "accuracy_gap") == Approx(0.3));
  CHECK(std::holds_alternative<std::monostate>(table.rows[0].back()));  // one run has no range
}

TEST_CASE("without both losses the metric reports what is missing") {
  const Frame frame = frame_of({run_at(1, 100)});
  CHECK(generalisation_table(frame, {}).rows.empty());
  CHECK(why_nothing(find_metric("generalisation"), frame, {}) ==
        "generalisation needs a completed run that recorded training and test loss, and there is "
        "none");
}

}  // namespace dlscale::analysis
