// SPDX-License-Identifier: Apache-2.0
#include "forecast/all_reduce_figures.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using Catch::Contains;

namespace {

/// Returns all-reduces of `sizes` doubled from 512 KiB on two ranks of one node, with 10 us per hop
/// and 1 GB/s.
contract::Calibration measured(int sizes) {
  contract::Calibration calibration;
  std::int64_t bytes = 512 * 1024;
  for (int i = 0; i < sizes; ++i, bytes *= 2) {
    const double seconds = 2 * 10e-6 + static_cast<double>(bytes) * 1e-9;
    calibration.all_reduce.push_back(
        {.topology = "bus", .nodes = 1, .gpus = 2, .bytes = bytes, .seconds = seconds});
  }
  return calibration;
}

}  // namespace

TEST_CASE("all-reduces that follow the ring formula are modelled without error") {
  const auto figures = forecast::all_reduce_figures(measured(10));
  REQUIRE(figures.size() == 2);
  const auto& [times_name, times] = figures[0];
  const auto& [errors_name, errors] = figures[1];
  CHECK(times_name == "all-reduce-times");
  CHECK(errors_name == "all-reduce-errors");
  REQUIRE(times.series.size() == 2);
  CHECK(times.series[0].label == "bus: 2 ranks, 1 node");
  CHECK_FALSE(times.series[0].law);
  CHECK(times.series[1].law);
  REQUIRE(errors.series.size() == 1);
  REQUIRE(errors.series[0].points.size() == 10);
  for (const analysis::FigurePoint& point : errors.series[0].points) {
    CHECK(std::abs(point.y) < 1e-6);
  }
  REQUIRE(times.notes.size() == 1);
  CHECK_THAT(times.notes[0], Contains("latency of a hop 10 us, bandwidth 1 GB/s") &&
                                 Contains("from 80 MiB on 0.0 %"));
}

TEST_CASE("the error of a size is modelled / measured - 1") {
  contract::Calibration calibration = measured(10);
  calibration.all_reduce[9].seconds *= 2;
  const auto figures = forecast::all_reduce_figures(calibration);
  REQUIRE(figures.size() == 2);
  const auto& times = figures[0].second.series;
  const auto& errors = figures[1].second.series[0].points;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    CHECK(errors[i].y == Approx(times[1].points[i].y / times[0].points[i].y - 1));
  }
  CHECK(errors[9].y < -0.3);
}

TEST_CASE("sizes outside 500 KiB to 1 GiB and placements with few sizes are left out") {
  contract::Calibration calibration = measured(3);
  for (const std::int64_t bytes : {std::int64_t{1024}, std::int64_t{4} << 30}) {
    calibration.all_reduce.push_back(
        {.topology = "bus", .nodes = 1, .gpus = 2, .bytes = bytes, .seconds = 1});
  }
  const auto figures = forecast::all_reduce_figures(calibration);
  REQUIRE(figures.size() == 2);
  CHECK(figures[1].second.series[0].points.size() == 3);
  CHECK(forecast::all_reduce_figures(measured(2)).empty());
  CHECK(forecast::all_reduce_figures({}).empty());
}

TEST_CASE("repeated measurements of a size are one point at their median with their range") {
  contract::Calibration calibration = measured(4);
  auto again = calibration.all_reduce[1];
  again.seconds *= 3;
  calibration.all_reduce.push_back(again);
  const auto figures = forecast::all_reduce_figures(calibration);
  REQUIRE(figures.size() == 2);
  const auto& points = figures[0].second.series[0].points;
  REQUIRE(points.size() == 4);
  CHECK(points[1].y == Approx(again.seconds * 2 / 3));
  REQUIRE(points[1].bounds.has_value());
  CHECK(points[1].bounds->low == Approx(again.seconds / 3));
  CHECK(points[1].bounds->high == Approx(again.seconds));
}
