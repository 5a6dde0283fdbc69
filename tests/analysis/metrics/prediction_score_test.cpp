// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/prediction_score.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "analysis/report/figures/figures.hpp"
#include "analysis/report/figures/svg_figure.hpp"
#include "analysis/report/tables/tables.hpp"
#include "tests/analysis/support/rows.hpp"

using namespace dlscale;
using namespace dlscale::analysis;

namespace {

/// Returns a prediction for a point with one run. The point has `gpus` GPUs, the predicted
/// throughput `samples_per_s`, and 64 samples per GPU and step.
KeptPrediction said(int gpus, double samples_per_s, const std::string& framework = "ddp") {
  KeptPrediction kept;
  kept.said.point_id = framework + "-g" + std::to_string(gpus);
  kept.said.gpus = gpus;
  kept.said.samples_per_s = {samples_per_s, 0.9 * samples_per_s, 1.1 * samples_per_s};
  const double step_s = 64 * gpus / samples_per_s;
  kept.said.step_s = {step_s, step_s / 1.1, step_s / 0.9};
  kept.run_ids = {kept.said.point_id + "-r1", kept.said.point_id + "-r2"};
  return kept;
}

Frame measured(const std::vector<KeptPrediction>& predictions) {
  Frame frame = test::frame_of({test::run_at(1, 1000), test::run_at(2, 1900), test::run_at(4, 3600),
                                test::run_at(4, 3800, "ddp", 2)});
  frame.predictions = predictions;
  return frame;
}

const PredictedQuantity& quantity(const std::string& id) {
  for (const PredictedQuantity& each : predicted_quantities()) {
    if (each.id == id) return each;
  }
  throw std::runtime_error(id);
}

}  // namespace

TEST_CASE("errors are the prediction relative to the median of the repeats") {
  const Frame frame = measured({said(1, 1100), said(2, 1900), said(4, 1850)});
  const auto values = score(frame, quantity("samples_per_s"));
  REQUIRE(values.size() == 3);
  CHECK(values[0].error() == Approx(0.1));
  CHECK(values[1].error() == Approx(0).margin(1e-12));
  CHECK(values[2].measured == Approx(3700));
  CHECK(values[2].error() == Approx(-0.5));
  CHECK(values[2].n == 2);
  CHECK(score(frame, quantity("step_s"))[2].error() == Approx(1).epsilon(0.01));
}

TEST_CASE("the summary has the median error, the worst error and the coverage of the band") {
  const Frame frame = measured({said(1, 1100), said(2, 1900), said(4, 1850)});
  const auto summary = summary_of(score(frame, quantity("samples_per_s")));
  REQUIRE(summary);
  CHECK(summary->points == 3);
  CHECK(summary->median_error == Approx(0.1));
  CHECK(summary->worst_error == Approx(-0.5));
  CHECK(summary->worst->gpus == 4);
  CHECK(summary->bias == Approx(0).margin(1e-12));
  CHECK(summary->inside == 2);
}

TEST_CASE("values that were not predicted or not measured are not scored") {
  Frame frame = measured({said(1, 1100), said(8, 7000)});
  CHECK(score(frame, quantity("samples_per_s")).size() == 1);
  CHECK(score(frame, quantity("memory_bytes")).empty());
  CHECK_FALSE(summary_of({}));
  frame.predictions[0].memory_bytes = {2e9};
  CHECK(score(frame, quantity("memory_bytes")).empty());  // measured, but not predicted
  frame.predictions[0].said.memory_bytes = {1e9, 0.9e9, 1.1e9};
  CHECK(score(frame, quantity("memory_bytes"))[0].error() == Approx(-0.5));
}

TEST_CASE("the training time of a run is the sum of its epochs, if it has all predicted epochs") {
  Frame frame = measured({said(1, 1100)});
  frame.predictions[0].said.epoch_s = {30, 27, 33};
  frame.predictions[0].said.run_s = {60, 54, 66};  // the run has two epochs
  const auto with = [&](const std::vector<double>& epochs_s) {
    frame.runs[0].epochs.clear();
    for (const double wall_s : epochs_s) frame.runs[0].epochs.push_back({.wall_s = wall_s});
    return score(frame, quantity("run_s"));
  };
  const auto both = with({30, 20});
  REQUIRE(both.size() == 1);
  CHECK(both[0].measured == Approx(50));
  CHECK(both[0].error() == Approx(0.2));
  CHECK(with({30}).empty());     // a run that stopped early
  CHECK(with({30, 0}).empty());  // an epoch without a time
  CHECK(with({9, 9, 9}).empty());
  CHECK(with({}).empty());
}

TEST_CASE("tables show predictions next to measurements with their errors") {
  Frame frame = measured({said(1, 1100), said(4, 1850)});
  frame.predictions[1].afterwards = true;
  const Table table = predictions_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  CHECK(std::get<std::string>(table.rows[0].back()) == "before");
  CHECK(std::get<std::string>(table.rows[1].back()) == "afterwards");
  const Table errors = prediction_errors_table(frame, {});
  REQUIRE(errors.rows.size() == 2);  // rows for step time and throughput
  CHECK(std::get<std::string>(errors.rows[0][0]) == "step time");
  CHECK(std::get<std::string>(errors.rows[0].back()) == "ddp-g4-r1");
  CHECK(predictions_table(measured({}), {}).rows.empty());
  CHECK(prediction_errors_table(measured({}), {}).rows.empty());
}

TEST_CASE("a prediction at a single count is a hollow mark with a bar, next to the measured mark") {
  const Frame frame = measured({said(4, 3000)});
  const Figure figure = throughput_figure(frame, {});
  REQUIRE(figure.series.size() == 2);
  REQUIRE(figure.series[1].points.size() == 1);
  CHECK(has_marks(figure, figure.series[1]));
  CHECK_FALSE(has_band(figure, figure.series[1]));
  CHECK(drawn_x(figure, 0, 4) != drawn_x(figure, 1, 4));
  CHECK_THAT(svg_file(figure, "f"), Catch::Contains("mark hollow"));
  CHECK(figure.notes.back().starts_with("hollow mark: prediction"));
}

TEST_CASE("predicted curves are dashed next to the measured ones and extend beyond them") {
  Frame frame = measured({said(1, 1000), said(2, 1800), said(4, 3000), said(8, 4000)});
  analysis::RunRow planned = test::run_at(8, 1);
  planned.outcome = kNotStarted;
  planned.steps = {};
  frame.runs.push_back(planned);
  const Figure figure = throughput_figure(frame, {});
  REQUIRE(figure.series.size() == 2);
  CHECK_FALSE(figure.series[0].law);
  CHECK(figure.series[1].law);
  CHECK(figure.series[1].label == "predicted");
  CHECK(figure.series[1].color == figure.series[0].color);
  REQUIRE(figure.series[1].points.size() == 4);
  CHECK(figure.series[1].points[3].y == Approx(4000));
  const Figure efficient = efficiency_figure(frame, {});
  CHECK(efficient.series[1].points[3].y == Approx(0.5));
  CHECK(speedup_figure(frame, {}).series[1].points[3].y == Approx(4));
  frame.predictions.clear();
  CHECK(throughput_figure(frame, {}).series.size() == 1);
}
