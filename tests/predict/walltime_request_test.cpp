// SPDX-License-Identifier: Apache-2.0
#include "predict/walltime_request.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace dlscale::predict;

TEST_CASE("a second too few costs more than a second too many, the more the higher the quantile") {
  CHECK(pinball_loss(10, 8, 0.9) == Approx(1.8));
  CHECK(pinball_loss(8, 10, 0.9) == Approx(0.2));
  CHECK(pinball_loss(8, 8, 0.9) == 0);
}

TEST_CASE("the factor of least pinball loss is the quantile of the ratios") {
  std::vector<double> ratios;
  for (int i = 1; i <= 100; ++i) ratios.push_back(i / 100.0);
  CHECK(request_factor(ratios, 0.5).value() == Approx(0.5));
  CHECK(request_factor(ratios, 0.905).value() == Approx(0.91));
  CHECK_FALSE(request_factor({}, 0.9));
}

TEST_CASE("a bound on the next ratio needs enough of them") {
  std::vector<double> ratios(18, 1.0);
  CHECK_FALSE(next_ratio_bound(ratios, 0.95));
  ratios.push_back(1.3);
  CHECK(next_ratio_bound(ratios, 0.95).value() == 1.3);
}

TEST_CASE("asked by the bound, runs of any distribution time out as often as was accepted") {
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

TEST_CASE("few finished runs leave the usual margin, unless one of them was worse") {
  CHECK(request_walltime(600, {}, 1.5).seconds == 17 * 60);
  CHECK_FALSE(request_walltime(600, {1.1}, 1.5).learnt);
  CHECK(request_walltime(600, {1.1}, 1.5).factor == 1.5);
  CHECK(request_walltime(600, {2.0, 1.1}, 1.5).factor == 2.0);
  const WalltimeRequest learnt = request_walltime(600, std::vector<double>(60, 1.05), 1.5);
  CHECK(learnt.learnt);
  CHECK(learnt.seconds == 13 * 60);  // 630 s + 120 s, in whole minutes
}

TEST_CASE("checkpoints are best apart by Young's interval, less their own time by Daly") {
  // A minute to write, a day between failures.
  const Seconds write{60}, day{86400};
  CHECK(young_interval(write, day).value == Approx(std::sqrt(2 * 60 * 86400.0)));
  const Seconds daly = checkpoint_interval(write, day);
  CHECK(daly < young_interval(write, day));
  CHECK(daly.value == Approx(3180.06));
  CHECK(checkpoint_interval({100}, {40}).value == 40);
  for (const double factor : {0.5, 0.8, 1.25, 2.0}) {
    CHECK(checkpoint_loss(daly * factor, write, day) > checkpoint_loss(daly, write, day));
  }
}
