// SPDX-License-Identifier: Apache-2.0
#include "predict/walltime.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace dlscale::predict;

TEST_CASE("a bound on the next ratio needs enough ratios") {
  std::vector<double> ratios(18, 1.0);
  CHECK_FALSE(next_ratio_bound(ratios, 0.95));
  ratios.push_back(1.3);
  CHECK(next_ratio_bound(ratios, 0.95).value() == 1.3);
}

TEST_CASE("runs with a walltime from the bound time out at the accepted rate") {
  std::mt19937 draw(1);
  std::lognormal_distribution<double> ratio(0, 0.1);
  int timeouts = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> before(99);
    for (double& each : before) each = ratio(draw);
    timeouts += ratio(draw) > next_ratio_bound(before, 0.98).value() ? 1 : 0;
  }
  CHECK(timeouts <= 0.026 * kRuns);
  CHECK(timeouts >= 0.014 * kRuns);
}

TEST_CASE("few finished runs keep the default margin unless one of them exceeded it") {
  CHECK(request_walltime(600, {}, 1.5).seconds == 17 * 60);
  CHECK_FALSE(request_walltime(600, {1.1}, 1.5).learnt);
  CHECK(request_walltime(600, {1.1}, 1.5).factor == 1.5);
  CHECK(request_walltime(600, {2.0, 1.1}, 1.5).factor == 2.0);
  const WalltimeRequest learnt = request_walltime(600, std::vector<double>(60, 1.05), 1.5);
  CHECK(learnt.learnt);
  CHECK(learnt.seconds == 13 * 60);  // 630 s + 120 s, in whole minutes
}
