// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/quantity_figure.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/figures/figures.hpp"
#include "analysis/report/figures/pgfplots.hpp"
#include "analysis/report/figures/svg_figure.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::run_at;

Figure drawn(const Frame& frame, const QuantityChoice& choice) {
  return quantity_figure(frame, {}, choice);
}

std::string refusal(const Frame& frame, const QuantityChoice& choice) {
  try {
    drawn(frame, choice);
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "drawn";
}

/// Returns the points of a series as "x:y" words.
std::string points_of(const Series& series) {
  std::string text;
  for (const FigurePoint& point : series.points) {
    text += (text.empty() ? "" : " ") + plain_number(point.x) + ":" + plain_number(point.y);
  }
  return text;
}

/// Returns a run of the model with a batch per GPU.
RunRow run_of(const std::string& model, int gpus, std::int64_t batch, double samples_per_s) {
  RunRow run = run_at(gpus, samples_per_s);
  run.point = {
      {"model", model}, {"gpus", std::to_string(gpus)}, {"batch_per_gpu", std::to_string(batch)}};
  run.batch_per_gpu = batch;
  run.global_batch = batch * gpus;
  run.steps.samples = run.steps.steps * run.global_batch;
  run.steps.wall_s = static_cast<double>(run.steps.samples) / samples_per_s;
  return run;
}

Frame study_of(std::vector<RunRow> runs) {
  Frame frame = frame_of(std::move(runs));
  frame.axes = {{"model", {"vgg16", "alexnet"}},
                {"gpus", {"1", "2", "3", "4"}},
                {"batch_per_gpu", {"16", "32", "64"}}};
  return frame;
}

/// Returns a study that varies the batch, the GPU count and the model, one at a time.
Frame one_factor_study() {
  return study_of({run_of("vgg16", 4, 16, 100), run_of("vgg16", 4, 32, 150),
                   run_of("vgg16", 4, 64, 200), run_of("vgg16", 1, 64, 60),
                   run_of("alexnet", 4, 64, 900)});
}

/// Returns a run that trained for two epochs of the task "seq2seq".
RunRow translator(int gpus, int repetition = 1) {
  RunRow run = run_at(gpus, 1000, "ddp", repetition);
  run.task = "translation";
  run.epochs = {{.epoch = 0, .wall_s = 20, .train_loss = 5},
                {.epoch = 1, .wall_s = 10, .train_loss = 3}};
  run.evals = {{.epoch = 0, .loss = 6, .wall_s = 2}, {.epoch = 1, .loss = 4, .wall_s = 1}};
  run.size.steps_per_epoch = 100;
  return run;
}

}  // namespace

TEST_CASE("a quantity is drawn over a numeric axis that doubles, with log2 ticks at its values") {
  const Figure figure = drawn(one_factor_study(), {{"throughput"}, "batch_per_gpu"});
  REQUIRE(figure.series.size() == 1);
  CHECK(points_of(figure.series[0]) == "16:100 32:150 64:200");
  CHECK(figure.x.log_base == 2);
  CHECK(figure.x.tick_points);
  CHECK(figure.y.title == "throughput (samples/s)");
}

TEST_CASE("an axis whose values do not double is linear, and logarithmic from a factor of 16 on") {
  const auto base_of = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return drawn(study_of({run_of("vgg16", 1, a, 10), run_of("vgg16", 1, b, 20),
                           run_of("vgg16", 1, c, 30)}),
                 {{"throughput"}, "batch_per_gpu"})
        .x.log_base;
  };
  CHECK(base_of(1, 2, 3) == 0);
  CHECK(base_of(1, 2, 8) == 2);
  CHECK(base_of(1, 3, 100) == 10);
}

TEST_CASE("words are categories in the order of the study, in every format") {
  const Figure figure = drawn(one_factor_study(), {{"throughput"}, "model"});
  CHECK(figure.x.words == std::vector<std::string>{"vgg16", "alexnet"});
  CHECK_FALSE(figure.lines);
  CHECK(points_of(figure.series.at(0)) == "0:200 1:900");
  CHECK_THAT(figure_csv(figure), Contains("series,model,throughput_samples_per_s") &&
                                     Contains("measured,vgg16,200") &&
                                     Contains("measured,alexnet,900"));
  CHECK_THAT(svg_figure(figure, "f"),
             Contains(">alexnet</text>") && Contains("model alexnet: 900"));
  CHECK_THAT(pgfplots_figure(figure), Contains("xticklabels={{vgg16},{alexnet}}"));
}

TEST_CASE("long words on an axis are slanted, and the figure becomes higher") {
  Frame frame = one_factor_study();
  const double level = svg_figure(drawn(frame, {{"throughput"}, "model"}), "f").find("rotate(-35)");
  CHECK(level == double(std::string::npos));
  const std::string name(60, 'm');
  frame.runs.back().point["model"] = name;
  const std::string svg = svg_figure(drawn(frame, {{"throughput"}, "model"}), "f");
  CHECK_THAT(svg, Contains("rotate(-35)\" text-anchor=\"end\">" + name));
}

TEST_CASE("curves of one point are left out and counted unless --by names their axes") {
  const Figure figure = drawn(one_factor_study(), {{"throughput"}, "batch_per_gpu"});
  CHECK_THAT(figure.subtitle, Contains("2 curves of one point are left out"));
  const Figure all =
      drawn(one_factor_study(), {{"throughput"}, "batch_per_gpu", {"model", "gpus"}});
  CHECK(all.series.size() == 3);
  CHECK_THAT(all.subtitle, !Contains("left out"));
}

TEST_CASE("curves of one point stay if the study has no others") {
  const Figure figure = drawn(study_of({run_of("vgg16", 1, 16, 10), run_of("alexnet", 1, 16, 20)}),
                              {{"throughput"}, "gpus"});
  CHECK(figure.series.size() == 2);
}

TEST_CASE("a batch that follows from the GPU count makes no curves") {
  const Frame frame = frame_of({run_at(1, 10), run_at(2, 19), run_at(4, 36)});
  CHECK(points_of(drawn(frame, {{"throughput"}, "gpus"}).series.at(0)) == "1:10 2:19 4:36");
  CHECK(points_of(drawn(frame, {{"throughput"}, "global_batch"}).series.at(0)) ==
        "64:10 128:19 256:36");
  Frame strong = frame;
  strong.scaling = "strong";
  for (RunRow& run : strong.runs) run.global_batch = 64;
  CHECK(points_of(drawn(strong, {{"throughput"}, "gpus"}).series.at(0)) == "1:10 2:19 4:36");
}

TEST_CASE("points that differ in an axis without a curve are refused instead of mixed") {
  const Frame frame =
      frame_of({run_at(1, 10, "ddp"), run_at(2, 19, "ddp"), run_at(2, 18, "horovod")});
  CHECK_THAT(refusal(frame, {{"throughput"}, "gpus", {"batch_per_gpu"}}),
             Contains("--by: points of one curve have the same gpus but differ in framework (ddp, "
                      "horovod)"));
  CHECK_THAT(refusal(frame, {{"throughput"}, "framework", {"batch_per_gpu"}}),
             Contains("differ in gpus (1, 2)"));
}

TEST_CASE("points without an axis that other points have form a curve of their own") {
  Frame frame = frame_of({run_at(1, 10), run_at(2, 19), run_at(1, 8), run_at(2, 15)});
  for (std::size_t i = 2; i < 4; ++i) {
    frame.runs[i].run_id += "-profiled";
    frame.runs[i].point["profile"] = "true";
  }
  const Figure figure = drawn(frame, {{"throughput"}, "gpus"});
  REQUIRE(figure.series.size() == 2);
  std::map<std::string, std::string> points;
  for (const Series& series : figure.series) points[series.label] = points_of(series);
  CHECK(points ==
        std::map<std::string, std::string>{{"no profile", "1:10 2:19"}, {"true", "1:8 2:15"}});
  CHECK_THAT(refusal(frame, {{"throughput"}, "gpus", {"framework"}}),
             Contains("differ in profile (") && Contains("not set"));
}

TEST_CASE("an axis is found by the last part of its name, and an unknown axis lists the axes") {
  Frame frame = one_factor_study();
  frame.axes[0].name = "models.frozen.backbone";
  for (RunRow& run : frame.runs) {
    run.point["models.frozen.backbone"] = run.point["model"];
    run.point.erase("model");
  }
  const Figure figure = drawn(frame, {{"throughput"}, "backbone"});
  CHECK(figure.x.id == "models.frozen.backbone");
  CHECK(figure.x.title == "backbone");
  CHECK_THAT(refusal(frame, {{"throughput"}, "bakbone"}),
             Contains("--x: unknown axis \"bakbone\"") && Contains("nodes") && Contains("epoch"));
  CHECK_THAT(refusal(frame, {{"throughput"}, "gpus", {"batch_per_gpus"}}),
             Contains("--by: unknown axis") && Contains("did you mean \"batch_per_gpu\"?"));
}

TEST_CASE("the throughput of repeats is the inverse of their median time, with its interval") {
  std::vector<RunRow> runs;
  for (int r = 1; r <= 6; ++r) runs.push_back(run_at(2, 100.0 * r, "ddp", r));
  const Figure figure = drawn(frame_of(runs), {{"throughput"}, "gpus"});
  const FigurePoint& point = figure.series.at(0).points.at(0);
  CHECK(point.y == Approx(2 / (1 / 300.0 + 1 / 400.0)));
  CHECK(point.bounds->low < point.y);
  CHECK(point.bounds->high > point.y);
  CHECK_THAT(figure.subtitle, Contains("median of n = 6, bars: 95 % interval"));
  const Figure preset = find_figure_kind("throughput").make(frame_of(runs), {});
  CHECK(point.y == Approx(preset.series.at(0).points.at(0).y));
  CHECK(point.bounds->low == Approx(preset.series.at(0).points.at(0).bounds->low));
}

TEST_CASE("two quantities of one unit share a figure, with a series for each curve and quantity") {
  const Frame frame = frame_of({run_at(1, 640), run_at(2, 640), run_at(1, 320, "horovod")});
  const Figure figure = drawn(frame, {{"forward", "backward"}, "gpus"});
  REQUIRE(figure.series.size() == 2);  // horovod has one point
  CHECK(figure.series[0].label == "forward");
  CHECK(points_of(figure.series[0]) == "1:30 2:60");
  CHECK(points_of(figure.series[1]) == "1:60 2:120");
  CHECK(figure.y.id == "time_ms");
  const Figure compute = drawn(frame, {{"compute"}, "gpus"});
  CHECK(points_of(compute.series.at(0)) == "1:90 2:180");
  CHECK_THAT(compute.title, Contains("Time per step (computation) by GPUs"));
}

TEST_CASE("with several curves a second quantity has the colour of its curve and hollow marks") {
  const Frame frame = frame_of(
      {run_at(1, 640), run_at(2, 640), run_at(1, 320, "horovod"), run_at(2, 320, "horovod")});
  const Figure figure = drawn(frame, {{"forward", "backward"}, "gpus"});
  REQUIRE(figure.series.size() == 4);
  CHECK(figure.series[0].color == figure.series[1].color);
  CHECK(figure.series[0].mark + 5 == figure.series[1].mark);
  CHECK(figure.series[2].color != figure.series[0].color);
}

TEST_CASE("quantities of different units are refused, and an unknown quantity suggests one") {
  const Frame frame = frame_of({run_at(1, 10)});
  CHECK_THAT(refusal(frame, {{"load", "throughput"}, "gpus"}),
             Contains("load (ms) and throughput (samples/s) cannot share an axis"));
  CHECK_THAT(refusal(frame, {{"forwards"}, "gpus"}), Contains("did you mean \"forward\"?"));
}

TEST_CASE(
    "a part that no run recorded is named, and a figure without points says what is missing") {
  const Frame frame = frame_of({run_at(1, 10), run_at(2, 20)});
  const Figure figure = drawn(frame, {{"forward", "load"}, "gpus"});
  CHECK(figure.series.size() == 1);
  CHECK_THAT(figure.subtitle, Contains("not recorded: load (needs a completed run"));
  const Figure empty = drawn(frame, {{"latency"}, "gpus"});
  CHECK(empty.series.empty());
  CHECK_THAT(
      empty.notes.at(0),
      Contains("latency needs a completed run with mode = \"inference\", and there is none"));
}

TEST_CASE("a run without a known batch is left out over the batch") {
  RunRow unknown = run_at(2, 20);
  unknown.batch_per_gpu = unknown.global_batch = 0;
  const Figure figure =
      drawn(frame_of({run_at(1, 10), run_at(4, 30), unknown}), {{"throughput"}, "global_batch"});
  CHECK(points_of(figure.series.at(0)) == "64:10 256:30");
}

TEST_CASE("loss over epochs is drawn for every task, with training and validation") {
  const Figure figure = find_figure_kind("loss").make(frame_of({translator(1), translator(2)}), {});
  REQUIRE(figure.series.size() == 4);
  CHECK(figure.series[0].label == "1, training");
  CHECK(points_of(figure.series[0]) == "1:5 2:3");
  CHECK(figure.series[1].label == "1, validation");
  CHECK(points_of(figure.series[1]) == "1:6 2:4");
  CHECK(figure.title == "Loss by epoch of made-up");
}

TEST_CASE("accuracy over epochs shows the training accuracy if the runs recorded it") {
  RunRow run = translator(1);
  run.task = "classification";
  run.evals[0].accuracy = 0.5;
  run.evals[1].accuracy = 0.75;
  const auto series = [&] {
    return find_figure_kind("accuracy-vs-epoch").make(frame_of({run}), {}).series;
  };
  REQUIRE(series().size() == 1);
  run.epochs[0].train_accuracy = 0.25;
  run.epochs[1].train_accuracy = 1;
  REQUIRE(series().size() == 2);
  CHECK(series()[0].label == "training");
  CHECK(points_of(series()[0]) == "1:25 2:100");
  CHECK(points_of(series()[1]) == "1:50 2:75");
}

TEST_CASE("the epoch time has a second line with the validation time for every task") {
  const Figure figure =
      find_figure_kind("epoch-time").make(frame_of({translator(1), translator(2)}), {});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[0].label == "training");
  CHECK(points_of(figure.series[0]) == "1:10 2:10");  // the first epoch is left out
  CHECK(points_of(figure.series[1]) == "1:1.5 2:1.5");
  const Figure traced =
      drawn(frame_of({translator(1)}), {{"epoch-time", "validation-time"}, "epoch"});
  CHECK(points_of(traced.series.at(0)) == "1:20 2:10");
  CHECK(points_of(traced.series.at(1)) == "1:2 2:1");
  CHECK_THAT(traced.subtitle, !Contains("excludes"));
}

TEST_CASE("the x axis over the training is the epoch, the step, the samples or the time") {
  const Frame frame = frame_of({translator(2)});
  const auto points = [&](const char* x) {
    return points_of(drawn(frame, {{"validation-loss"}, x}).series.at(0));
  };
  CHECK(points("") == "1:6 2:4");
  CHECK(points("epoch") == "1:6 2:4");
  CHECK(points("step") == "100:6 200:4");
  CHECK(points("samples") == "12800:6 25600:4");
  CHECK(points("time") == "20:6 30:4");
}

TEST_CASE("loss over steps comes from the step windows, as medians over the repeats") {
  RunRow one = translator(1, 1), two = translator(1, 2);
  one.window_losses = {{0, 0, 10, 8}, {0, 10, 10, 6}};
  two.window_losses = {{0, 0, 10, 10}, {0, 10, 10, 7}};
  const Figure figure = drawn(frame_of({one, two}), {{"loss"}, "step"});
  REQUIRE(figure.series.size() == 2);
  CHECK(points_of(figure.series[0]) == "10:9 20:6.5");
  CHECK(points_of(figure.series[1]) == "100:6 200:4");
  CHECK(figure.series[0].points[0].bounds->high == 10);
  CHECK(needed_details({{"loss"}, "step"}).window_losses);
  CHECK_FALSE(needed_details({{"loss"}, "epoch"}).window_losses);
}

TEST_CASE("many step windows are drawn as means of consecutive windows, without marks") {
  RunRow run = translator(1);
  for (int i = 0; i < 2500; ++i) run.window_losses.push_back({0, i, 1, double(i % 3)});
  const Figure figure = drawn(frame_of({run}), {{"train-loss"}, "step"});
  REQUIRE(figure.series.at(0).points.size() == 834);
  CHECK(figure.series[0].points[0].x == 3);
  CHECK(figure.series[0].points[0].y == Approx(1));
  CHECK(figure.series[0].points.back().x == 2500);
  CHECK_FALSE(figure.marks);
}

TEST_CASE("without marks, curves differ in their colours") {
  RunRow one = translator(1), two = translator(2);
  for (int i = 0; i < 100; ++i) one.window_losses.push_back({0, i, 1, 2});
  two.window_losses = one.window_losses;
  two.batch_per_gpu = 32;
  RunRow three = translator(1);
  three.batch_per_gpu = 32;
  three.window_losses = one.window_losses;
  const Figure figure = drawn(frame_of({one, two, three}), {{"train-loss"}, "step"});
  REQUIRE(figure.series.size() == 3);
  std::set<std::size_t> colors;
  for (const Series& series : figure.series) colors.insert(series.color);
  CHECK(colors.size() == 3);
}

TEST_CASE("series are shifted by less than the distance of the values on a linear axis") {
  Frame frame = one_factor_study();
  frame.axes[2] = {"lr.base", {"0.01", "0.02", "0.03"}};
  const char* rates[] = {"0.01", "0.02", "0.03", "0.01", "0.02"};
  for (std::size_t i = 0; i < frame.runs.size(); ++i) {
    frame.runs[i] = run_of(i < 3 ? "vgg16" : "alexnet", 1, 16, 100);
    frame.runs[i].point.erase("batch_per_gpu");
    frame.runs[i].point["lr.base"] = rates[i];
  }
  const Figure figure = drawn(frame, {{"throughput"}, "base"});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.x.log_base == 0);
  CHECK(drawn_x(figure, 0, 0.01) != 0.01);
  CHECK(drawn_x(figure, 0, 0.01) == Approx(0.01).margin(0.001));
}

TEST_CASE("a quantity with one value for each run is refused over epochs") {
  CHECK_THAT(refusal(frame_of({run_at(1, 10)}), {{"load"}, "epoch"}),
             Contains("--x epoch: load has one value for each run") &&
                 Contains("framework, gpus") && Contains("train-loss"));
}

TEST_CASE("efficiency over the batch is relative to the baseline of each scaling curve") {
  const Frame frame = study_of({run_of("vgg16", 1, 16, 10), run_of("vgg16", 2, 16, 18),
                                run_of("vgg16", 1, 32, 20), run_of("vgg16", 2, 32, 30)});
  AnalysisOptions options;
  options.baseline = {"per-curve", 0};
  const Figure figure = quantity_figure(frame, options, {{"efficiency"}, "batch_per_gpu"});
  REQUIRE(figure.series.size() == 2);
  CHECK(points_of(figure.series[0]) == "16:1 32:1");
  CHECK(points_of(figure.series[1]) == "16:0.9 32:0.75");
}

TEST_CASE("targets of different metrics are different curves") {
  RunRow one = translator(1), two = translator(2);
  one.targets = {{"loss", 4, 1, 30, 6400}, {"bleu", 20, 1, 25, 6400}};
  two.targets = {{"loss", 4, 1, 15, 6400}};
  const Figure figure = drawn(frame_of({one, two}), {{"time-to-target"}, "gpus", {"target"}});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[1].label == "loss 4");
  CHECK(points_of(figure.series[1]) == "1:30 2:15");
}

TEST_CASE("inference is drawn over the batch, with the parts of the latency if recorded") {
  RunRow small = run_of("vgg16", 2, 16, 1), large = run_of("vgg16", 2, 32, 1);
  small.inference = {{16, 0.010, 0.020, 3000}};
  large.inference = {{32, 0.015, 0.030, 4000}};
  const auto figure = [&](const char* kind) {
    return find_figure_kind(kind).make(study_of({small, large}), {});
  };
  CHECK(points_of(figure("inference").series.at(0)) == "16:10 32:15");
  CHECK(figure("inference").series.size() == 1);
  CHECK(points_of(figure("inference-throughput").series.at(0)) == "16:3000 32:4000");
  small.inference[0].compute_p50_s = 0.006;
  small.inference[0].communication_p50_s = 0.004;
  REQUIRE(figure("inference").series.size() == 3);
  CHECK(figure("inference").series[2].label == "communication");
  CHECK(points_of(figure("inference").series[2]) == "16:4");
}

TEST_CASE("the batches of a log with several batches are its x values") {
  RunRow run = run_of("vgg16", 1, 0, 1);
  run.inference = {{16, 0.010, 0.020, 1600}, {32, 0.016, 0.020, 2000}};
  CHECK(points_of(drawn(study_of({run}), {{"latency"}, "batch_per_gpu"}).series.at(0)) ==
        "16:10 32:16");
}

TEST_CASE("sent data is drawn by the published formula, by the ring formula and as counted") {
  RunRow run = run_of("vgg16", 2, 16, 10);
  run.conditions["trainer"] = "0.1";
  run.size = {1000, 3200, 100};
  run.steps.bytes_sent = 4000.0 * static_cast<double>(run.steps.steps);
  const Figure figure = drawn(study_of({run}), {{"transfer"}, "gpus"});
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].label == "published formula");
  CHECK(figure.series[0].points.at(0).y == Approx(3200.0 / 32 * 1000 * 4 * 1e-9));
  CHECK(figure.series[1].points.at(0).y == Approx(100.0 * 2 * 0.5 * 1000 * 4 * 1e-9));
  CHECK(figure.series[2].points.at(0).y == Approx(4000.0 * 100 * 1e-9));
}

TEST_CASE("a measured quantity is drawn under its own name with its unit") {
  std::vector<RunRow> runs{run_at(1, 10), run_at(2, 20)};
  runs[0].measured = {{{"mfu", "%"}, 40}, {{"tflops", "TFLOP/s"}, 400}};
  runs[1].measured = {{{"mfu", "%"}, 30}};
  const Frame frame = frame_of(std::move(runs));
  const Figure figure = drawn(frame, {{"measured.mfu"}, "gpus"});
  CHECK(points_of(figure.series.at(0)) == "1:40 2:30");
  CHECK(figure.y.title == "mfu (%)");
  CHECK(figure.y.id == "mfu");
  CHECK_THAT(refusal(frame, {{"measured.mfx"}, "gpus"}),
             Contains("did you mean \"measured.mfu\"?"));
  CHECK_THAT(refusal(frame, {{"measured"}, "gpus"}), Contains("cannot share an axis"));
  CHECK_THAT(refusal(frame, {{"measured.mfu"}, "epoch"}), Contains("has one value for each run"));
  CHECK_THAT(refusal(frame_of({run_at(1, 10)}), {{"measured.mfu"}, "gpus"}),
             Contains("no run of the study measured a quantity"));
}

TEST_CASE("a measured quantity with different units can be drawn for the runs of one unit") {
  RunRow in_percent = run_at(1, 10);
  in_percent.measured = {{{"mfu", "%"}, 40}};
  RunRow without_unit = run_at(2, 20);
  without_unit.measured = {{{"mfu", ""}, 0.3}};
  const Figure figure = drawn(frame_of({in_percent}), {{"measured.mfu"}, "gpus"});
  CHECK(points_of(figure.series.at(0)) == "1:40");
  CHECK(figure.y.title == "mfu (%)");
  CHECK_THAT(refusal(frame_of({in_percent, without_unit}), {{"measured.mfu"}, "gpus"}),
             Contains("measured.mfu: the programs of the runs gave this quantity different units "
                      "(no unit and %)") &&
                 Contains("--where or --run"));
}

TEST_CASE("memory is the peak that was read for the runs") {
  RunRow run = run_at(1, 10);
  CHECK(drawn(frame_of({run}), {{"memory"}, "gpus"}).series.empty());
  run.peak_memory_bytes = 3e9;
  CHECK(points_of(drawn(frame_of({run}), {{"memory"}, "gpus"}).series.at(0)) == "1:3");
  CHECK(needed_details({{"memory"}}).peak_memory);
  CHECK_FALSE(needed_details({{"sent"}}).peak_memory);
}

namespace {

/// Returns six repeats at 1, 2 and 4 GPUs with the global batch `batch`. Two and four GPUs cannot
/// be distinguished.
void add_counts(std::vector<RunRow>& runs, std::int64_t batch) {
  for (const int gpus : {1, 2, 4}) {
    for (int r = 1; r <= 6; ++r) {
      RunRow run = run_at(gpus, 100.0 * (gpus == 1 ? 1 : 2) + r + (gpus == 4 ? 0.1 : 0), "ddp", r);
      run.global_batch = batch;
      run.point["global_batch"] = std::to_string(batch);
      run.steps.wall_s *= static_cast<double>(100 * batch) / static_cast<double>(run.steps.samples);
      run.steps.samples = 100 * batch;
      runs.push_back(run);
    }
  }
}

}  // namespace

TEST_CASE("the best count of each global batch has the counts that are as fast as its bar") {
  std::vector<RunRow> runs;
  add_counts(runs, 64);
  add_counts(runs, 128);
  Frame frame = frame_of(runs);
  frame.scaling = "strong";
  frame.axes.push_back({"global_batch", {"64", "128"}});
  const Figure figure = find_figure_kind("best-count").make(frame, {});
  REQUIRE(figure.series.size() == 1);
  CHECK(points_of(figure.series[0]) == "64:4 128:4");
  CHECK(figure.series[0].points[0].bounds->low == 2);
  CHECK(figure.series[0].points[0].bounds->high == 4);
}

TEST_CASE("there is no best count if the global batch grows with the GPU count") {
  CHECK(find_figure_kind("best-count")
            .make(frame_of({run_at(1, 10), run_at(2, 20)}), {})
            .series.empty());
}

TEST_CASE("every quantity has its own name and can be found by it") {
  for (const Quantity& quantity : quantities()) {
    INFO(quantity.name);
    REQUIRE(quantities_named(quantity.name).size() == 1);
    CHECK(quantities_named(quantity.name).front() == &quantity);
    const int values = (quantity.of_run != nullptr) + (quantity.of_inference != nullptr) +
                       (quantity.of_target != nullptr) + (quantity.relative != nullptr);
    CHECK(values == 1);
  }
  CHECK(quantities_named("loss").size() == 2);
  CHECK(quantities_named("losses").empty());
}

TEST_CASE("the name of a measure of logs suggests the quantity with its values") {
  for (const auto& [name, quantity] :
       std::vector<std::pair<std::string, std::string>>{{"test_loss", "validation-loss"},
                                                        {"val_loss", "validation-loss"},
                                                        {"training_loss", "train-loss"},
                                                        {"test_accuracy", "validation-accuracy"},
                                                        {"train_accuracy", "train-accuracy"},
                                                        {"samples_per_s", "throughput"},
                                                        {"images_per_sec", "throughput"},
                                                        {"wall_s", "step-time"},
                                                        {"epoch_time", "epoch-time"},
                                                        {"forward_s", "forward"},
                                                        {"exposed_comm_s", "communication"}}) {
    CHECK_THAT(unknown_quantity("quantity", name, quantity_names()),
               Catch::StartsWith("unknown quantity \"" + name + "\"; did you mean \"" + quantity +
                                 "\"? (known: throughput, "));
  }
  CHECK_THAT(unknown_quantity("quantity", "zzz", quantity_names()),
             Catch::StartsWith("unknown quantity \"zzz\" (known: "));
}

}  // namespace dlscale::analysis
