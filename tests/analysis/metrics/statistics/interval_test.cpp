// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/interval.hpp"

#include <catch2/catch.hpp>

#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "base/error.hpp"
#include "tests/analysis/metrics/statistics/noise.hpp"

namespace dlscale::analysis {
namespace {

using test::Noise;

constexpr int kTrials = 2000;

bool holds(const Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

double coverage_of_median(Noise::Shape shape, std::size_t n) {
  Noise noise(shape, 11);
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) covered += holds(interval_of_median(noise.times(n, 0.8)), 0.8);
  return static_cast<double>(covered) / kTrials;
}

/// Returns the coverage of the interval of a ratio. `scale` is the spread of the denominators
/// divided by the spread of the numerators.
double coverage_of_ratio(Noise::Shape shape, std::size_t n, double scale) {
  Noise noise(shape, 12);
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    covered += holds(interval_of_ratio(noise.times(n, 3), noise.times(n, 2, scale)), 1.5);
  }
  return static_cast<double>(covered) / kTrials;
}

}  // namespace

TEST_CASE("95 % intervals of medians cover the truth in 93 to 97 of 100 cases") {
  for (const auto shape : {Noise::Shape::LogNormal, Noise::Shape::Outliers, Noise::Shape::Nef}) {
    for (const std::size_t n : {6, 10, 20}) {
      const double coverage = coverage_of_median(shape, n);
      INFO("shape " << static_cast<int>(shape) << ", n = " << n << ": " << coverage);
      CHECK(coverage >= 0.93);
      CHECK(coverage <= 0.97);
    }
  }
}

TEST_CASE("95 % intervals of ratios of medians cover the truth in 93 to 97 of 100 cases") {
  for (const auto shape : {Noise::Shape::LogNormal, Noise::Shape::Outliers, Noise::Shape::Nef}) {
    for (const std::size_t n : {6, 10, 20}) {
      for (const double scale : {1.0, 0.2}) {
        const double coverage = coverage_of_ratio(shape, n, scale);
        INFO("shape " << static_cast<int>(shape) << ", n = " << n << ", scale " << scale << ": "
                      << coverage);
        CHECK(coverage >= 0.93);
        CHECK(coverage <= 0.97);
      }
    }
  }
}

TEST_CASE("intervals of the Hodges-Lehmann ratio cover the truth in 93 to 97 of 100 cases") {
  constexpr int kSamples = 1000;
  for (const auto shape : {Noise::Shape::LogNormal, Noise::Shape::Outliers, Noise::Shape::Nef}) {
    // Measured times are drawn with replacement. They contain ties, which widen the intervals.
    const double most = shape == Noise::Shape::Nef ? 0.98 : 0.97;
    for (const std::size_t n : {6, 10, 20}) {
      Noise noise(shape, 13);
      int covered = 0;
      for (int i = 0; i < kSamples; ++i) {
        const std::vector<double> a = noise.times(n, 3), b = noise.times(n, 2);
        covered += holds(hodges_lehmann_ratio(a, b).interval, 1.5);
      }
      INFO("shape " << static_cast<int>(shape) << ", n = " << n << ": " << covered);
      CHECK(covered >= 0.93 * kSamples);
      CHECK(covered <= most * kSamples);
    }
  }
}

TEST_CASE("one value has no interval, and few values have only their range") {
  CHECK_THROWS_AS(interval_of_median({}), base::RunError);
  CHECK(interval_of_median({7}).kind == Interval::Kind::None);
  CHECK(interval_of_median({7, 5, 6}) == Interval{Interval::Kind::Range, 5, 7});
  CHECK(interval_of_median({1, 2, 3, 4, 5}).kind == Interval::Kind::Range);
  CHECK(interval_of_median({1, 2, 3, 4, 5, 6}).kind == Interval::Kind::Confidence95);
}

TEST_CASE("the interval of six values is slightly narrower than their range") {
  // The interval from the first to the last value has a coverage of 31/32, and the interval from
  // the second to the second-last value has a coverage of 25/32. 95 % lies at 0.1 of the way
  // from 31/32 to 25/32. The limits are interpolated between the two intervals, and the inner one
  // has the weight 5 * 0.1 / (1 + 4 * 0.1).
  const Interval interval = interval_of_median({0, 10, 20, 30, 40, 50});
  CHECK(interval.low == Approx(10 * 0.5 / 1.4));
  CHECK(interval.high == Approx(50 - 10 * 0.5 / 1.4));
}

TEST_CASE("one outlier does not move the interval of ten values") {
  std::vector<double> values{9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  const Interval before = interval_of_median(values);
  values.back() = 1e6;
  CHECK(interval_of_median(values) == before);
}

TEST_CASE("the range of a ratio spans its extreme combinations") {
  CHECK(interval_of_ratio({8, 12}, {2, 4}) == Interval{Interval::Kind::Range, 2, 6});
  CHECK(interval_of_ratio({8}, {2}).kind == Interval::Kind::None);
  CHECK(interval_of_ratio({8}, {2, 4}) == Interval{Interval::Kind::Range, 2, 4});
}

TEST_CASE("a ratio needs six values on both sides for an interval") {
  const std::vector<double> six{1, 2, 3, 4, 5, 6};
  CHECK(interval_of_ratio(six, {1, 2, 3, 4, 5}).kind == Interval::Kind::Range);
  CHECK(interval_of_ratio(six, six).kind == Interval::Kind::Confidence95);
}

TEST_CASE("the interval of a ratio scales with its numerator and inverts with the ratio") {
  const std::vector<double> a{1, 2, 3, 4, 5, 6, 7};
  std::vector<double> b = a;
  for (double& value : b) value *= 4;
  const Interval of_b = interval_of_ratio(b, a);
  CHECK(of_b.low == Approx(4 * interval_of_ratio(a, a).low));
  CHECK(of_b.high == Approx(4 * interval_of_ratio(a, a).high));
  CHECK(interval_of_ratio(a, b).low == Approx(1 / of_b.high));
  CHECK(interval_of_ratio(a, b).high == Approx(1 / of_b.low));
}

TEST_CASE("the interval of a difference follows a shift and changes its sign when swapped") {
  const std::vector<double> a{5, 6, 7, 8, 9, 10}, b{1, 2, 3, 4, 5, 6};
  const Interval there = interval_of_difference(a, b);
  const Interval back = interval_of_difference(b, a);
  CHECK(there.kind == Interval::Kind::Confidence95);
  CHECK(there.low < 4);
  CHECK(there.high > 4);
  CHECK(back.low == Approx(-there.high));
  CHECK(back.high == Approx(-there.low));
  std::vector<double> shifted = a;
  for (double& value : shifted) value -= 20;
  CHECK(interval_of_difference(shifted, b).low == Approx(there.low - 20));
}

TEST_CASE("few values have the range of their differences, and single values have none") {
  const Interval range = interval_of_difference({3, 4}, {1, 2});
  CHECK(range == Interval{Interval::Kind::Range, 1, 3});
  CHECK(interval_of_difference({3}, {1}).kind == Interval::Kind::None);
  CHECK_THROWS(interval_of_difference({}, {1}));
}

}  // namespace dlscale::analysis
