// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/figures.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/figures/pgfplots.hpp"
#include "analysis/report/figures/roofline_figure.hpp"
#include "analysis/report/figures/svg_figure.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::run_at;

/// Returns a run that trained for two epochs of `epoch_s` each and reached `accuracy` in the second
/// epoch.
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

TEST_CASE("throughput per GPU divides the throughput and its bounds by the GPU count") {
  const Figure figure =
      figure_of("throughput-per-gpu", {run_at(2, 1000, "ddp", 1), run_at(2, 2000, "ddp", 2)});
  CHECK(point(figure, 0).y == Approx(1 / (0.5 / 1000 + 0.5 / 2000) / 2));
  CHECK(point(figure, 0).bounds->low == Approx(500));
  CHECK(point(figure, 0).bounds->high == Approx(1000));
}

TEST_CASE("the epoch time excludes the first epoch") {
  RunRow run = trained(1, 10, 0.9);
  run.epochs[0].wall_s = 100;
  CHECK(point(figure_of("epoch-time", {run}), 0).y == 10);
}

TEST_CASE("the data sent per epoch is that of a step times the number of steps") {
  const Figure figure = figure_of("transfer", {trained(2, 10, 0.9)});
  CHECK(point(figure, 0).y == Approx(4000.0 * 100 * 1e-9));
  CHECK(figure_of("transfer", {run_at(2, 1000)}).series.empty());  // the model is unknown
}

TEST_CASE("accuracy over time adds up the epochs, and long times are in hours") {
  const Figure seconds = figure_of("accuracy-vs-time", {trained(1, 10, 0.9)});
  CHECK(point(seconds, 1).x == 20);
  CHECK(point(seconds, 1).y == Approx(90));
  CHECK(seconds.x.id == "train_s");
  const Figure hours = figure_of("accuracy-vs-time", {trained(1, 7200, 0.9)});
  CHECK(point(hours, 1).x == 4);
  CHECK(hours.x.id == "train_h");
}

TEST_CASE("the time to an accuracy uses the highest whole percent that every run reached") {
  const Figure figure = figure_of("time-to-accuracy", {trained(1, 10, 0.97), trained(2, 6, 0.919)});
  CHECK_THAT(figure.title, Contains("to 91 % test accuracy"));
  CHECK(point(figure, 0).y == 20);
  CHECK(point(figure, 1).y == 12);
  CHECK_THAT(figure_of("time-to-accuracy", {trained(1, 10, 0.97)}).title, Contains("to 97 %"));
}

TEST_CASE("the time to an accuracy uses the runs' target if they had one") {
  RunRow reached = trained(1, 10, 0.97);
  reached.targets = {{"accuracy", 0.95, 1, 20, 1000}};
  const Figure figure = figure_of("time-to-accuracy", {reached, trained(2, 6, 0.9)});
  CHECK_THAT(figure.title, Contains("to 95 % test accuracy"));
  CHECK(figure.series.at(0).points.size() == 1);
  CHECK_THAT(figure.subtitle, Contains("1 of 2 runs reached this accuracy"));
}

TEST_CASE("an accuracy that most runs reached at their first evaluation is not compared") {
  // Two runs that learnt almost nothing about ten classes. Both reached 11 %.
  RunRow one = trained(1, 10, 0.123), two = trained(2, 6, 0.118);
  one.evals[0].accuracy = 0.115;
  two.evals[0].accuracy = 0.11;
  for (const char* kind : {"time-to-accuracy", "images-to-accuracy"}) {
    INFO(kind);
    const Figure guessed = figure_of(kind, {one, two});
    CHECK(guessed.series.empty());
    CHECK_THAT(guessed.why_empty,
               Contains("is 11 %") && Contains("first evaluation") && Contains("target.accuracy"));
    RunRow later = one;
    later.evals[0].accuracy = 0.105;  // this run needed two epochs
    CHECK(figure_of(kind, {later, two}).series.size() == 1);
    RunRow with_target = one;
    with_target.targets = {{"accuracy", 0.1, 0, 10, 1000}};
    CHECK(figure_of(kind, {with_target, two}).series.size() == 1);
  }
}

TEST_CASE("an accuracy of 0 % is not compared") {
  RunRow none = trained(1, 10, 0.97);
  none.evals = {{0, 0.0, 1.0}};
  for (const char* kind : {"time-to-accuracy", "images-to-accuracy"}) {
    INFO(kind);
    const Figure figure = figure_of(kind, {none, trained(2, 6, 0.9)});
    CHECK(figure.series.empty());
    CHECK_THAT(figure.why_empty, Contains("not every run reached a test accuracy of 1 %") &&
                                     Contains("target.accuracy"));
  }
}

TEST_CASE("a figure of accuracies names the only source that has them") {
  RunRow with = trained(1, 10, 0.9), without = trained(1, 10, 0.9);
  with.source = with.point["source"] = "juwels";
  without.source = without.point["source"] = "nef";
  CHECK_THAT(figure_of("time-to-accuracy", {with, without}).subtitle, !Contains("only"));
  without.evals.clear();
  CHECK_THAT(figure_of("time-to-accuracy", {with, without}).subtitle,
             Catch::StartsWith("only juwels; weak scaling"));
}

TEST_CASE("the Pareto front has the points that are best in cost or accuracy") {
  const Figure figure =
      figure_of("pareto", {trained(1, 3600, 0.95), trained(2, 1700, 0.90), trained(4, 1800, 0.93)});
  CHECK(point(figure, 0).x == Approx(2));
  CHECK(point(figure, 2).x == Approx(4));
  CHECK(point(figure, 2).note == "4");
  REQUIRE(figure.ideal->points.size() == 2);  // 4 GPUs cost more and are less accurate
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

TEST_CASE("overlap is the hidden part of communication and at least 0") {
  RunRow run = run_at(2, 1000);
  CHECK(figure_of("overlap", {run}).series.empty());  // the run has no communication time
  run.steps.comm_busy_s = 0.5 * run.steps.wall_s;
  run.steps.parts_s[4] = 0.2 * run.steps.wall_s;
  CHECK(point(figure_of("overlap", {run}), 0).y == Approx(60));
  run.steps.parts_s[4] = 0.9 * run.steps.wall_s;
  CHECK(point(figure_of("overlap", {run}), 0).y == 0);
}

TEST_CASE("the load share is the fraction of the parts spent waiting for data") {
  RunRow run = run_at(2, 1000);
  run.steps.parts_s[0] = run.steps.wall_s;
  CHECK(point(figure_of("load-share", {run}), 0).y == Approx(50));
  run.steps.parts_s = {};
  CHECK(figure_of("load-share", {run}).series.empty());
}

TEST_CASE("a load share that was not recorded gives no point") {
  CHECK(figure_of("load-share", {run_at(2, 1000)}).series.empty());
  RunRow own = run_at(2, 1000);
  own.conditions["trainer"] = "0.1";
  CHECK(point(figure_of("load-share", {own}), 0).y == 0);
}

TEST_CASE("the breakdown figure has the recorded parts") {
  const Figure figure = figure_of("breakdown", {run_at(2, 1000)});
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].label == "forward");
  CHECK(figure.series[1].label == "backward");
  CHECK(figure.series[1].color == 3);  // the colour is the same as in figures of all parts
  CHECK(figure.series[2].label == "other");
  CHECK(figure.series[1].points.at(0).y == Approx(0.6 * 128));
  CHECK_THAT(figure.notes.back(), Contains("not recorded (unknown, not 0): load_wait"));
}

TEST_CASE("a part that only some bars have is unknown in the others instead of 0") {
  RunRow with_load = run_at(1, 1000);
  with_load.steps.parts_s[0] = 0.1 * with_load.steps.wall_s;
  const Figure figure = figure_of("breakdown", {with_load, run_at(2, 1000)});
  REQUIRE(figure.series[0].label == "load_wait");
  CHECK(std::isnan(figure.series[0].points.at(1).y));
  CHECK_THAT(figure_csv(figure), Contains("\n2 GPUs,,38."));
  CHECK_THAT(svg_figure(figure, "f"), !Contains("nan"));
  CHECK_THAT(pgfplots_figure(figure), Contains("\n      (1,0)};") && Contains("\n      (1,38."));
}

TEST_CASE("runs without a recorded training loss have only their validation loss") {
  RunRow silent = trained(1, 10, 0.9);
  for (EpochRow& epoch : silent.epochs) epoch.train_loss = std::nan("");
  CHECK(figure_of("loss", {silent}).series.size() == 1);
  CHECK(figure_of("loss", {silent, trained(2, 6, 0.9)}).series.size() == 3);
  CHECK(figure_of("accuracy-vs-epoch", {silent}).series.size() == 1);
}

TEST_CASE("samples to an accuracy count those of all epochs, over the global batch") {
  RunRow one = trained(1, 10, 0.97);
  RunRow two = trained(2, 6, 0.97);
  one.size.steps_per_epoch = 1000;
  two.size.steps_per_epoch = 500;
  two.evals[0].accuracy = 0.97;
  const Figure figure = figure_of("images-to-accuracy", {one, two});
  CHECK_THAT(figure.title, Contains("amples to 97 % test accuracy"));
  CHECK(point(figure, 0).x == 64);
  CHECK(point(figure, 0).y == 2 * 1000 * 64);
  CHECK(point(figure, 1).x == 128);
  CHECK(point(figure, 1).y == 500 * 128);
  one.size.steps_per_epoch = 0;
  CHECK(figure_of("images-to-accuracy", {one}).series.empty());
}

namespace {

/// Returns a figure with laws, fitted to six repeats on 1 to 8 GPUs. On N GPUs a step takes
/// 1 + 0.05 log2(N) times as long as with ideal scaling.
Figure continued(const char* kind, int most_gpus = 8) {
  std::vector<RunRow> runs;
  for (int gpus = 1, doublings = 0; gpus <= most_gpus; gpus *= 2, ++doublings) {
    for (int r = 1; r <= 6; ++r) {
      runs.push_back(
          run_at(gpus, 1000.0 * gpus / (1 + 0.05 * doublings) * (1 + 0.002 * (r % 3)), "ddp", r));
    }
  }
  AnalysisOptions options;
  options.laws = true;
  return find_figure_kind(kind).make(frame_of(runs), options);
}

}  // namespace

TEST_CASE("laws extend efficiency and speed-up to eight times the most GPUs, with a band") {
  const Figure figure = continued("efficiency");
  REQUIRE(figure.series.size() == 2);
  const Series& law = figure.series[1];
  CHECK(law.law);
  CHECK(law.color == figure.series[0].color);
  CHECK_THAT(law.label, Catch::EndsWith("laws"));
  REQUIRE(law.points.size() == 7);
  CHECK(law.points.back().x == 64);
  CHECK(law.points.back().y == Approx(1 / 1.3).epsilon(0.02));
  CHECK(law.points.back().bounds->low < law.points.back().y);
  CHECK(law.points.back().bounds->high > law.points.back().y);
  CHECK(law.points[0].y == Approx(1).epsilon(0.01));
  CHECK(figure.ideal->points.size() == 11);
  const Figure speedup = continued("speedup");
  CHECK(speedup.series[1].points.back().y == Approx(64 / 1.3).epsilon(0.02));
  CHECK(find_figure_kind("efficiency").make(frame_of({run_at(1, 10)}), {}).series.size() == 1);
}

TEST_CASE("two points give no laws, which the figure notes") {
  const Figure figure = continued("efficiency", 2);
  CHECK(figure.series.size() == 1);
  CHECK_THAT(figure.notes.back(), Contains("no curve has 3 points"));
}

TEST_CASE("a fitted series is a dashed line with a band and without marks in every format") {
  const Figure figure = continued("speedup");
  const std::string svg = svg_figure(figure, "f");
  CHECK_THAT(svg, Contains("class=\"line dashed\"") && Contains("class=\"band\""));
  const std::string tex = pgfplots_figure(figure);
  CHECK_THAT(tex, Contains("dotted, thick, mark=none") && Contains("fill between"));
  CHECK_THAT(figure_csv(figure), Contains("laws\",64,"));
}

namespace {

/// Returns a card with 2 GFLOP per sample in the forward pass, 4 GFLOP per sample in the backward
/// pass, and 10 MB per sample in each pass.
contract::ModelCard card() {
  contract::ModelCard card;
  card.model = "resnet50";
  contract::LayerCard layer;
  layer.forward.flops = {0, 2e9};
  layer.forward.read = {0, 6e6};
  layer.forward.written = {0, 4e6};
  layer.backward = layer.forward;
  layer.backward.flops = {0, 4e9};
  card.layers = {layer};
  return card;
}

}  // namespace

TEST_CASE("a roofline shows the reached FLOP/s over FLOPs per byte, and the roof") {
  RunRow run = run_at(2, 1000);
  run.conditions["model"] = "resnet50";
  run.conditions["precision"] = "fp32";
  const predict::Rates rates{predict::teraflops(10), predict::gigabytes_per_s(100)};
  const Figure figure = roofline_figure(frame_of({run}), {}, card(), rates, {});
  REQUIRE(figure.series.size() == 3);
  CHECK(point(figure, 0).x == Approx(300));               // 6 GFLOP / 20 MB
  CHECK(point(figure, 0).y == Approx(6e9 * 500 / 1e12));  // 500 samples/s per GPU
  CHECK(point(figure, 0).note == "2");
  // The forward pass takes 0.2 ms and the backward pass 0.4 ms per sample. The peak limits both
  // passes.
  CHECK(figure.series[1].points[0].y == Approx(6e9 / 6e-4 / 1e12));
  const Series& roof = figure.series[2];
  CHECK(roof.law);
  CHECK(roof.points[1].x == Approx(100));
  CHECK(roof.points[1].y == Approx(10));
  CHECK(roof.points[0].y == Approx(2.5));
  CHECK(roof.points[2].y == Approx(10));
}

TEST_CASE("runs of other models or precisions are left out of the roofline") {
  RunRow run = run_at(2, 1000);
  run.conditions["model"] = "vgg16";
  const Figure figure =
      roofline_figure(frame_of({run}), {}, card(),
                      {predict::teraflops(1), predict::Bytes{1} / predict::Seconds{1}}, {});
  CHECK(figure.series.empty());
  CHECK_THAT(figure.notes.back(), Contains("omitted: 1 point of model vgg16"));
}

}  // namespace dlscale::analysis
