// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/svg_axis.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::run_at;

/// Trained for two epochs of `epoch_s` each, to `accuracy` in the second.
RunRow trained(int gpus, double epoch_s, double accuracy, int repetition = 1) {
  RunRow run = run_at(gpus, 1000 * gpus, "ddp", repetition);
  run.epochs = {{0, epoch_s, 0.9}, {1, epoch_s, 0.4}};
  run.evals = {{0, accuracy / 2, 1.0}, {1, accuracy, 0.5}};
  run.size = {1000, 60000, 100};
  run.steps.bytes_sent = 4000.0 * static_cast<double>(run.steps.steps);
  return run;
}

Figure figure_of(const char* kind, const std::vector<RunRow>& runs) {
  return find_figure_kind(kind).make(frame_of(runs), {});
}

const FigurePoint& point(const Figure& figure, std::size_t i) {
  return figure.series.at(0).points.at(i);
}

}  // namespace

TEST_CASE("throughput per GPU is throughput over the GPU count, bounds as well") {
  const Figure figure =
      figure_of("throughput-per-gpu", {run_at(2, 1000, "ddp", 1), run_at(2, 2000, "ddp", 2)});
  CHECK(point(figure, 0).y == Approx(1 / (0.5 / 1000 + 0.5 / 2000) / 2));
  CHECK(point(figure, 0).bounds->low == Approx(500));
  CHECK(point(figure, 0).bounds->high == Approx(1000));
}

TEST_CASE("the time of an epoch leaves out the first one") {
  RunRow run = trained(1, 10, 0.9);
  run.epochs[0].wall_s = 100;
  CHECK(point(figure_of("epoch-time", {run}), 0).y == 10);
}

TEST_CASE("what an epoch sends is what was counted in a step times its steps") {
  const Figure figure = figure_of("transfer", {trained(2, 10, 0.9)});
  CHECK(point(figure, 0).y == Approx(4000.0 * 100 * 1e-9));
  CHECK(figure_of("transfer", {run_at(2, 1000)}).series.empty());  // nothing is known of the model
}

TEST_CASE("accuracy over time adds up the epochs, and long times are hours") {
  const Figure seconds = figure_of("accuracy-vs-time", {trained(1, 10, 0.9)});
  CHECK(point(seconds, 1).x == 20);
  CHECK(point(seconds, 1).y == Approx(90));
  CHECK(seconds.x.id == "train_s");
  const Figure hours = figure_of("accuracy-vs-time", {trained(1, 7200, 0.9)});
  CHECK(point(hours, 1).x == 4);
  CHECK(hours.x.id == "train_h");
}

TEST_CASE("the time to an accuracy is to the highest whole percent that every run reached") {
  const Figure figure = figure_of("time-to-accuracy", {trained(1, 10, 0.97), trained(2, 6, 0.919)});
  CHECK_THAT(figure.title, Contains("to 91 % test accuracy"));
  CHECK(point(figure, 0).y == 20);
  CHECK(point(figure, 1).y == 12);
  CHECK_THAT(figure_of("time-to-accuracy", {trained(1, 10, 0.97)}).title, Contains("to 97 %"));
}

TEST_CASE("the time to an accuracy is to the runs' target where they had one") {
  RunRow reached = trained(1, 10, 0.97);
  reached.targets = {{"accuracy", 0.95, 1, 20, 1000}};
  const Figure figure = figure_of("time-to-accuracy", {reached, trained(2, 6, 0.9)});
  CHECK_THAT(figure.title, Contains("to 95 % test accuracy"));
  CHECK(figure.series.at(0).points.size() == 1);
  CHECK_THAT(figure.subtitle, Contains("of the 1 of 2 runs that reached it"));
}

TEST_CASE("the Pareto front has the points that none beats in cost and accuracy") {
  const Figure figure =
      figure_of("pareto", {trained(1, 3600, 0.95), trained(2, 1700, 0.90), trained(4, 1800, 0.93)});
  CHECK(point(figure, 0).x == Approx(2));
  CHECK(point(figure, 2).x == Approx(4));
  CHECK(point(figure, 2).note == "4");
  REQUIRE(figure.ideal->points.size() == 2);  // 4 GPUs cost more for less
  CHECK(figure.ideal->points[0].y == Approx(90));
  CHECK(figure.ideal->points[1].y == Approx(95));
  CHECK_FALSE(figure.lines);
}

TEST_CASE("ticks are round numbers inside the axis") {
  CHECK(SvgAxis(0, 1, 0, 0, 1).ticks().size() == 6);
  CHECK(SvgAxis(1, 16, 2, 0, 1).ticks() == std::vector<double>{1, 2, 4, 8, 16});
  CHECK(SvgAxis(0.3, 6, 10, 0, 1).ticks() == std::vector<double>{0.5, 1, 2, 5});
  CHECK(SvgAxis(1, 100, 10, 0, 200).at(10) == Approx(100));
  CHECK(SvgAxis(2, 4, 0, 100, 0).at(4) == Approx(0).margin(1e-12));
  CHECK(plain_number(-0.0) == "0");
  CHECK(plain_number(1048576) == "1048576");
  CHECK(plain_number(0.30000000000000004) == "0.3");
}

}  // namespace dlscale::analysis
