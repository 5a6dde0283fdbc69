// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/summary.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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

TEST_CASE("empty samples cannot be summarised") {
  CHECK_THROWS_AS(median({}), base::RunError);
  CHECK_THROWS_AS(mean({}), base::RunError);
}

}  // namespace dlscale::analysis
