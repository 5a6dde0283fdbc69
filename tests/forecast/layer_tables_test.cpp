// SPDX-License-Identifier: Apache-2.0
#include "forecast/layer_tables.hpp"

#include <catch2/catch.hpp>

#include "tests/predict/made_layers.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

contract::Calibration layered() {
  contract::Calibration all;
  all.layers = {test::made_step()};
  all.kernel_models = test::made_models();
  return all;
}

double number(const analysis::Table& table, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].id == column) return std::get<double>(table.rows.at(row).at(i));
  }
  FAIL("no column " << column);
  return 0;
}

}  // namespace

TEST_CASE("each stage of a step has a row of errors, and the whole step has one") {
  const analysis::Table table = forecast::layer_errors_table(layered());
  REQUIRE(table.rows.size() == 4);
  CHECK(number(table, 0, "measured_s") == Approx(0.012));
  CHECK(number(table, 0, "estimated_s") == Approx(0.013));
  CHECK(number(table, 1, "weighted_relative_error") == Approx(0.003 / 0.024));
  CHECK(number(table, 2, "layers") == 1);
  CHECK(number(table, 3, "layers") == 5);
  CHECK(number(table, 3, "covered") == Approx(1));
}

TEST_CASE("each layer has a row with the measured and the estimated time of each stage") {
  const analysis::Table table = forecast::layer_times_table(layered());
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "backward_s") == Approx(0.020));
  CHECK(number(table, 0, "backward_estimated_s") == Approx(0.018));
  CHECK(number(table, 0, "backward_error") == Approx(-0.1));
  // A ReLU has no parameters to update.
  CHECK(std::holds_alternative<std::monostate>(table.rows[1][table.rows[1].size() - 3]));
}

TEST_CASE("layers without kernel models are shown as measured, with the reasons") {
  contract::Calibration all = layered();
  all.kernel_models.clear();
  const analysis::Table errors = forecast::layer_errors_table(all);
  CHECK(number(errors, 0, "covered") == 0);
  CHECK_THAT(errors.notes.back(), Contains("no estimate of addmm backward: there is no model"));
  const auto figures = forecast::layer_figures(all);
  REQUIRE(figures.size() == 1);
  for (const analysis::Series& series : figures[0].second.series) {
    CHECK_THAT(series.label, Contains("measured"));
  }
}

TEST_CASE("the figure of a step shows measured and estimated times of the three stages") {
  const auto figures = forecast::layer_figures(layered());
  REQUIRE(figures.size() == 1);
  const auto& [name, figure] = figures[0];
  CHECK(name == "layer-times-mlp-1x4x4-b8");
  CHECK(figure.x.words == std::vector<std::string>{"classifier.0 addmm", "classifier.0 relu"});
  REQUIRE(figure.series.size() == 6);
  CHECK(figure.series[0].label == "forward, measured");
  CHECK(figure.series[1].label == "forward, estimated");
  CHECK(figure.series[4].points.size() == 1);
  REQUIRE(figure.notes.size() == 3);
  CHECK_THAT(figure.notes[1], Contains("backward: RE 17.5 %, WRE 12.5 %"));
}
