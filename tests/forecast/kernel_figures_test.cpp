// SPDX-License-Identifier: Apache-2.0
#include "forecast/kernel_figures.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "analysis/report/figures/figure_files.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

contract::KernelModel model_with(const std::string& kernel, std::vector<double> errors) {
  contract::KernelModel model;
  model.kernel = kernel;
  model.held_out_errors = std::move(errors);
  return model;
}

contract::Calibration calibration() {
  contract::Calibration all;
  all.kernel_models = {model_with("convolution_forward", {-0.8, -0.02, 0.01, 0.04, 0.07}),
                       model_with("adam_update", {0.02, 2.5}), model_with("relu_forward", {})};
  return all;
}

}  // namespace

TEST_CASE("the histogram counts each held-out error once, by kind of layer") {
  const auto figures = forecast::kernel_figures(calibration());
  REQUIRE(figures.size() == 2);
  const auto& [name, histogram] = figures[0];
  CHECK(name == "kernel-error-histogram");
  REQUIRE(histogram.series.size() == 2);
  CHECK(histogram.series[0].label == "convolution");
  CHECK(histogram.series[1].label == "update");
  const auto count = [&](std::size_t series, const std::string& bin) {
    for (std::size_t i = 0; i < histogram.categories.size(); ++i) {
      if (histogram.categories[i] == bin) return histogram.series[series].points[i].y;
    }
    return -1.0;
  };
  CHECK(count(0, "below -50 %") == 1);
  CHECK(count(0, "-5 to 0 %") == 1);
  CHECK(count(0, "0 to 5 %") == 2);
  CHECK(count(0, "5 to 10 %") == 1);
  CHECK(count(1, "0 to 5 %") == 1);
  CHECK(count(1, "from 50 %") == 1);
  double all = 0;
  for (const auto& series : histogram.series) {
    for (const auto& point : series.points) all += point.y;
  }
  CHECK(all == 7);
}

TEST_CASE("a box shows the quartiles, and errors beyond its whiskers are single points") {
  const auto figures = forecast::kernel_figures(calibration());
  const analysis::Figure& boxes = figures.at(1).second;
  CHECK(boxes.x.words == std::vector<std::string>{"convolution_forward", "adam_update"});
  const analysis::FigurePoint& point = boxes.series[0].points[0];
  CHECK(point.y == Approx(0.01));
  REQUIRE(point.box);
  CHECK(point.box->low == Approx(-0.02));
  CHECK(point.box->high == Approx(0.04));
  CHECK(point.bounds->low == Approx(-0.02));
  CHECK(point.bounds->high == Approx(0.07));
  REQUIRE(boxes.series.size() == 2);
  REQUIRE(boxes.series[1].points.size() == 1);
  CHECK(boxes.series[1].points[0].y == Approx(-0.8));
  CHECK_THAT(analysis::figure_csv(boxes),
             Contains("low,high,box_low,box_high") && Contains(",0.01,-0.02,0.07,-0.02,0.04"));
}

TEST_CASE("models of earlier versions, which lack their held-out errors, give no figures") {
  contract::Calibration old;
  old.kernel_models = {model_with("relu_forward", {})};
  CHECK(forecast::kernel_figures(old).empty());
  CHECK(forecast::kernel_figures({}).empty());
}
