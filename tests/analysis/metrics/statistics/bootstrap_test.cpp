// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/interval.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the medians of all n^n resamples in ascending order.
std::vector<double> medians_of_all(const std::vector<double>& values) {
  const std::size_t n = values.size();
  std::vector<std::size_t> chosen(n, 0);
  std::vector<double> medians;
  while (true) {
    std::vector<double> resample;
    for (const std::size_t i : chosen) resample.push_back(values[i]);
    medians.push_back(median(resample));
    std::size_t place = 0;
    while (place < n && ++chosen[place] == n) chosen[place++] = 0;
    if (place == n) break;
  }
  std::sort(medians.begin(), medians.end());
  return medians;
}

}  // namespace

TEST_CASE("the bootstrap of a median equals that of all possible resamples") {
  const std::vector<double> even{2.1, 1, 9.5, 1.3, 4, 1.1};
  const std::vector<double> odd{2.1, 1, 9.5, 1.3, 4, 1.1, 30};
  for (const std::vector<double>& values : {even, odd}) {
    const std::vector<double> medians = medians_of_all(values);
    const auto at = [&](double q) {
      return medians[static_cast<std::size_t>(std::ceil(q * double(medians.size()))) - 1];
    };
    const Interval interval = bootstrap_interval_of_median(values);
    INFO(values.size());
    CHECK(interval.kind == Interval::Kind::Confidence95);
    CHECK(interval.low == Approx(at(0.025)));
    CHECK(interval.high == Approx(at(0.975)));
  }
}

TEST_CASE("equal values have a bootstrap interval of zero width, and few values have none") {
  const Interval equal = bootstrap_interval_of_median(std::vector<double>(10, 3.0));
  CHECK(equal.low == 3);
  CHECK(equal.high == 3);
  CHECK(bootstrap_interval_of_median({1, 2, 3, 4, 5}).kind == Interval::Kind::None);
}

TEST_CASE("many values have a bootstrap interval") {
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(i);
  const Interval interval = bootstrap_interval_of_median(values);
  // The limits of the interval have the ranks 199.5 ± 1.96 standard errors. A standard error is
  // sqrt(400) / 2 = 10 ranks.
  CHECK(interval.low == Approx(179.9).margin(1));
  CHECK(interval.high == Approx(219.1).margin(1));
}

}  // namespace dlscale::analysis
