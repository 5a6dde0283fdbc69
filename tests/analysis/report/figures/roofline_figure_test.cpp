// SPDX-License-Identifier: Apache-2.0
// Tests which runs match a model card, and where these runs lie under the roof of the roofline
// figure.
#include "analysis/report/figures/roofline_figure.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/support/rows.hpp"
#include "tests/predict/made_card.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;

const predict::Rates kRates{predict::teraflops(10), predict::gigabytes_per_s(1000)};

/// Returns a run that matches the card, with 64 samples on each GPU.
RunRow run_of_card(int gpus = 1) {
  RunRow run = test::run_at(gpus, 100.0 * gpus);
  run.conditions["model"] = "made";
  run.conditions["precision"] = "fp32";
  run.size.trainable_parameters = 75'000'000;
  return run;
}

Figure figure_of(const RunRow& run, const SampleInputs& inputs = {}) {
  return roofline_figure(frame_of({run}), {}, test::made_card(), kRates, inputs);
}

/// Returns the reason why the card does not match a run.
std::string refused(const RunRow& run, const SampleInputs& inputs = {}) {
  const Figure figure = figure_of(run, inputs);
  return figure.series.empty() ? figure.notes.back() : "it is";
}

}  // namespace

TEST_CASE("a run of the card is placed at the intensity of its batch and at its FLOP/s") {
  const Figure figure = figure_of(run_of_card(), {{"ddp-g1-r1", {"3x4x4", {}}}});
  REQUIRE(figure.series.size() == 3);
  const FigurePoint& point = figure.series[0].points.at(0);
  const double flops = 3 * (4e9 + 1e9) * 64;  // FLOPs of a batch in both passes
  const double bytes = 3 * (1e9 + 0.1e9 * 64 + 0.8e9 + 0.2e9 * 64);
  CHECK(point.x == Approx(flops / bytes));
  CHECK(point.y == Approx(3 * 5e9 * 100 / 1e12));  // 100 samples/s
  CHECK(figure.series[1].points.at(0).y > point.y);
}

TEST_CASE("a card of another model, precision, input or size is rejected with the reason") {
  RunRow run = run_of_card();
  CHECK(refused(run) == "it is");
  run.conditions["precision"] = "tf32";  // tf32 values have as many bytes as fp32 values
  CHECK(refused(run) == "it is");
  run.conditions["precision"] = "bf16";
  CHECK_THAT(refused(run),
             Contains("omitted: 1 point of precision bf16; the cost model is for model "
                      "made, fp32, input 3x4x4, 75000000 trainable parameters"));
  run.conditions.erase("precision");
  CHECK_THAT(refused(run), Contains("1 point without a precision"));
  run = run_of_card();
  run.conditions["model"] = "vgg16";
  CHECK_THAT(refused(run), Contains("1 point of model vgg16"));
  CHECK_THAT(refused(run_of_card(), {{"ddp-g1-r1", {"3x8x8", {}}}}),
             Contains("1 point of input 3x8x8"));
  CHECK_THAT(refused(run_of_card(), {{"ddp-g1-r1", {"3x4x4", {.backbone = "vgg16"}}}}),
             Contains("1 point of model made (backbone vgg16)"));
  run = run_of_card();
  run.size.trainable_parameters = 1000;
  CHECK_THAT(refused(run), Contains("1 point of 1000 trainable parameters"));
  run.size.trainable_parameters = 0;  // 0: the number of parameters is unknown
  CHECK(refused(run) == "it is");
  run.batch_per_gpu = 0;
  CHECK_THAT(refused(run), Contains("1 point without a batch per GPU"));
}

TEST_CASE("runs of the card are drawn, and other runs are counted") {
  RunRow other = run_of_card(2);
  other.conditions["precision"] = "bf16";
  const Figure figure = roofline_figure(frame_of({run_of_card(), other, run_of_card(4)}),
                                        {.allow_mixed = true}, test::made_card(), kRates, {});
  REQUIRE_FALSE(figure.series.empty());
  CHECK(figure.series[0].points.size() == 2);
  CHECK_THAT(figure.notes.back(), Contains("omitted: 1 point of precision bf16"));
}

}  // namespace dlscale::analysis
