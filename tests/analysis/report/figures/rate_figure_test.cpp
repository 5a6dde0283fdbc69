// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/rate_figure.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/figures/svg_figure.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;

/// Returns a run with the settings of the Jülich study: a learning rate of 0.025 per GPU and
/// warm-up over 5 of 90 epochs.
contract::RunSpec juelich(const std::string& schedule, int gpus) {
  contract::RunSpec run;
  run.lr = {.base = 0.025, .peak = 0.025 * gpus};
  run.gpus = gpus;
  run.epochs = 90;
  run.warmup_epochs = 5;
  run.lr_schedule.kind = schedule;
  run.lr_schedule.milestones = {30, 60, 80};
  return run;
}

}  // namespace

TEST_CASE("the points of a curve follow the closed form") {
  const std::int64_t steps = 20;
  const Figure figure = rate_figure("s", {{juelich("cosine", 1024), steps}});
  REQUIRE(figure.series.size() == 1);
  CHECK(figure.series[0].points.size() == 901);  // every second step and the last step
  for (const FigurePoint& point : figure.series[0].points) {
    const double e = point.x;
    const double closed = e < 5 ? 0.025 + (25.6 - 0.025) * e / 5
                                : 25.6 * (1 + std::cos(std::acos(-1.0) * e / 90)) / 2;
    REQUIRE(point.y == Approx(closed).epsilon(1e-12));
  }
  CHECK(figure.series[0].points.front().y == 0.025);
  CHECK(figure.series[0].points.back().x == Approx(90 - 1.0 / steps));
}

TEST_CASE("runs with equal learning rates share a curve, and labels show the differences") {
  contract::RunSpec other = juelich("step", 4);
  other.model = "resnet152";
  const Figure figure = rate_figure("s", {{juelich("step", 4), 10},
                                          {other, 10},
                                          {juelich("step", 8), 10},
                                          {juelich("cosine", 4), 10}});
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.legend_title == "LR schedule, peak");
  CHECK(figure.series[0].label == "step, 0.1");
  CHECK(figure.series[1].label == "step, 0.2");
  CHECK(figure.series[2].label == "cosine, 0.1");
  CHECK(figure.series[0].color == figure.series[1].color);
  CHECK(figure.subtitle == "planned value at each optimizer step; 3 curves for 4 points");
}

TEST_CASE("parameters of a schedule and of warm-up are labelled if they differ") {
  contract::RunSpec slow = juelich("exponential", 4), cold = juelich("exponential", 4);
  slow.lr_schedule.gamma = 0.99;
  cold.lr.warmup_from = "zero";
  const Figure figure = rate_figure("s", {{juelich("exponential", 4), 10}, {slow, 10}, {cold, 10}});
  REQUIRE(figure.series.size() == 3);
  CHECK_THAT(figure.series[0].label, Contains("gamma=0.95"));
  CHECK_THAT(figure.series[1].label, Contains("gamma=0.99"));
  CHECK_THAT(figure.series[2].label, Contains("warm-up of 5 epochs from 0"));
  CHECK(figure.series[2].points.front().y == 0);
}

TEST_CASE("runs with an unknown rate have no curve, and an unknown epoch length is noted") {
  contract::RunSpec external = juelich("constant", 1);
  external.lr.scale = "";
  CHECK(rate_figure("s", {{external, 10}}).series.empty());
  const Figure figure = rate_figure("s", {{juelich("constant", 1), std::nullopt}});
  CHECK(figure.series.at(0).label == "constant");
  CHECK_THAT(figure.notes.at(0), Contains("as if an epoch had 100 steps"));
}

TEST_CASE("learning rates are drawn as lines without marks at their exact values") {
  const Figure figure = rate_figure("s", {{juelich("step", 4), 10}, {juelich("step", 8), 10}});
  const std::string svg = svg_file(figure, "lr");
  CHECK_THAT(svg, Contains("class=\"line\"") && !Contains("class=\"mark"));
  CHECK_THAT(figure_csv(figure), Contains("series,epoch,learning_rate,low,high\n0.1,0,0.025,,\n"));
}

}  // namespace dlscale::analysis
