// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "base/error.hpp"

namespace dlscale::analysis {

TEST_CASE("quantiles interpolate between order statistics") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(quantile({10, 20, 30, 40, 50}, 0.1) == Approx(14));
  CHECK(quantile({5, 1}, 0) == 1);
  CHECK(quantile({5, 1}, 1) == 5);
}

TEST_CASE("mean and standard deviation follow their definitions") {
  CHECK(mean({1, 2, 6}) == 3);
  CHECK(standard_deviation({1, 2, 6}) == Approx(std::sqrt(7.0)));
  CHECK(standard_deviation({4}) == 0);
}

TEST_CASE("nothing cannot be summarised") {
  CHECK_THROWS_AS(median({}), base::RunError);
  CHECK_THROWS_AS(mean({}), base::RunError);
  CHECK_THROWS_AS(interval_of_median({}), base::RunError);
}

TEST_CASE("one value has no interval, few have only their range") {
  CHECK(interval_of_median({7}).kind == Interval::Kind::None);
  CHECK(interval_of_median({7, 5, 6}) == Interval{Interval::Kind::Range, 5, 7});
  CHECK(interval_of_median({1, 2, 3, 4, 5}).kind == Interval::Kind::Range);
  CHECK(interval_of_median({1, 2, 3, 4, 5, 6}).kind == Interval::Kind::Bootstrap95);
}

TEST_CASE("a bootstrap interval contains the median and repeats exactly") {
  const std::vector<double> values{9.1, 10.4, 9.8, 10.1, 12.0, 9.9, 10.0};
  const Interval interval = interval_of_median(values);
  CHECK(interval.low <= median(values));
  CHECK(interval.high >= median(values));
  CHECK(interval.low < interval.high);
  CHECK(interval_of_median(values) == interval);
}

TEST_CASE("a bootstrap interval covers the true median about as often as it says") {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> noise(10, 1);
  int covered = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> values(10);
    for (double& value : values) value = noise(engine);
    const Interval interval = interval_of_median(values);
    covered += interval.low <= 10 && 10 <= interval.high;
  }
  CHECK(covered >= 88);
  CHECK(covered <= 99);
}

TEST_CASE("the range of a ratio spans its extreme combinations") {
  CHECK(interval_of_ratio({8, 12}, {2, 4}) == Interval{Interval::Kind::Range, 2, 6});
  CHECK(interval_of_ratio({8}, {2}).kind == Interval::Kind::None);
  CHECK(interval_of_ratio({8}, {2, 4}) == Interval{Interval::Kind::Range, 2, 4});
}

TEST_CASE("a ratio needs six values on both sides for a bootstrap interval") {
  const std::vector<double> six{1, 2, 3, 4, 5, 6};
  CHECK(interval_of_ratio(six, {1, 2, 3, 4, 5}).kind == Interval::Kind::Range);
  CHECK(interval_of_ratio(six, six).kind == Interval::Kind::Bootstrap95);
}

TEST_CASE("a ratio's interval scales with its numerator") {
  const std::vector<double> a{1, 2, 3, 4, 5, 6, 7};
  std::vector<double> b = a;
  for (double& value : b) value *= 4;
  CHECK(interval_of_ratio(b, a).low == Approx(4 * interval_of_ratio(a, a).low));
  CHECK(interval_of_ratio(b, a).high == Approx(4 * interval_of_ratio(a, a).high));
}

}  // namespace dlscale::analysis
