// SPDX-License-Identifier: Apache-2.0
// Tests of outliers, steady states and normality of samples.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "analysis/metrics/statistics/outliers.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "base/error.hpp"
#include "tests/analysis/metrics/statistics/noise.hpp"

namespace dlscale::analysis {
namespace {

using Indices = std::vector<std::size_t>;
using test::nef_times;
using test::Noise;

}  // namespace

TEST_CASE("modified z finds the outlying runs of the published times") {
  CHECK(left_out(nef_times(16, 2), OutlierPolicy::Mad) == Indices{0, 1});
  CHECK(left_out(nef_times(16, 3), OutlierPolicy::Mad) == Indices{0, 2, 6});
  CHECK(left_out(nef_times(32, 2), OutlierPolicy::Mad) == Indices{1, 7, 8});
  CHECK(left_out(nef_times(32, 3), OutlierPolicy::Mad).empty());
  CHECK(left_out(nef_times(128, 2), OutlierPolicy::Mad) == Indices{9});
}

TEST_CASE("modified z is 0.6745 times the distance in median absolute deviations") {
  const std::vector<double> z = modified_z({1, 2, 3, 4, 11});
  CHECK(z[2] == 0);
  CHECK(z[4] == Approx(0.6745 * 8));
  CHECK(modified_z({5, 5, 5}) == std::vector<double>{0, 0, 0});
  CHECK(modified_z({5, 5, 5, 5, 5, 9})[5] > kOutlyingZ);
  CHECK(modified_z({}).empty());
}

TEST_CASE("outlier policies leave out the values of their definitions and never all values") {
  const std::vector<double> times{9, 1, 5, 7};
  CHECK(left_out(times, OutlierPolicy::None).empty());
  CHECK(left_out(times, OutlierPolicy::Olympic) == Indices{0, 1});
  CHECK(left_out(times, OutlierPolicy::DropFirst) == Indices{0});
  for (const auto policy : {OutlierPolicy::Mad, OutlierPolicy::Olympic, OutlierPolicy::DropFirst}) {
    CHECK(left_out({3}, policy).empty());
    CHECK(left_out({3, 3, 3}, policy).size() < 3);
    CHECK(parse_outlier_policy(to_string(policy)) == policy);
  }
  CHECK(left_out({1, 2}, OutlierPolicy::Olympic).empty());
}

TEST_CASE("an unknown outlier policy is a usage error with the nearest name") {
  CHECK_THROWS_WITH(
      parse_outlier_policy("olimpic"),
      Catch::Contains("unknown outlier policy \"olimpic\"; did you mean \"olympic\""));
}

TEST_CASE("a run is steady from the first window that agrees with the next four") {
  CHECK(steady_from({9, 3, 1.5, 1, 1.01, 0.99, 1, 1, 5}) == 3);
  CHECK(steady_from({1, 1, 1, 1, 1}) == 0);
  CHECK_FALSE(steady_from({1, 1, 1, 1}).has_value());
  CHECK_FALSE(steady_from({1, 2, 1, 2, 1, 2, 1, 2}).has_value());
  CHECK(steady_from({9, 1, 1}, {.windows = 2}) == 1);
  CHECK(steady_from({1, 1.1, 1, 1.1, 1}, {.variation = 0.1}) == 0);
}

TEST_CASE("normal samples look normal in 95 of 100 cases, and published times rarely do") {
  Noise noise(Noise::Shape::LogNormal, 41);
  int normal = 0;
  for (int i = 0; i < 1000; ++i) normal += looks_normal(logs_of(noise.times(10))).value();
  CHECK(normal >= 930);
  CHECK(normal <= 970);
  CHECK_FALSE(looks_normal(nef_times(16, 2)).value());
  CHECK_FALSE(looks_normal(nef_times(128, 2)).value());
}

TEST_CASE("too few or equal values have no test of normality") {
  CHECK_FALSE(looks_normal({1, 2, 3, 4, 5, 6, 7}).has_value());
  CHECK_FALSE(looks_normal(std::vector<double>(10, 2.0)).has_value());
}

}  // namespace dlscale::analysis
