// SPDX-License-Identifier: Apache-2.0
#include "predict/checkpoint_interval.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace dlscale::predict;

namespace {

constexpr Seconds kLongWork{1e9};

}  // namespace

TEST_CASE("the intervals of Young and Daly have their published values") {
  // A checkpoint takes a minute to write, and a day passes between failures.
  const Seconds write{60}, day{86400};
  CHECK(young_interval(write, day).value == Approx(std::sqrt(2 * 60 * 86400.0)));
  CHECK(daly_interval(write, day).value == Approx(3180.06));
  CHECK(daly_interval({100}, {40}).value == 40);
}

TEST_CASE("Daly's interval has the least expected time, and Young's interval loses more") {
  for (const double write : {1.0, 60.0, 600.0}) {
    const Seconds save{write}, hour{3600};
    const Seconds best = daly_interval(save, hour);
    // The derivative is 0 at the interval M (1 - e^(-(interval + write) / M)).
    CHECK(best.value == Approx(3600 * -std::expm1(-(best + save).value / 3600)).epsilon(0.005));
    const double least = checkpoint_loss(kLongWork, best, save, hour);
    CHECK(checkpoint_loss(kLongWork, young_interval(save, hour), save, hour) > least);
    for (const double factor : {0.5, 0.8, 1.25, 2.0}) {
      CHECK(checkpoint_loss(kLongWork, best * factor, save, hour) > least);
    }
  }
}

TEST_CASE("the predicted loss matches a simulation of random failures") {
  const Seconds interval{200}, write{20}, between{1000};
  std::mt19937_64 draw(1);
  std::exponential_distribution<double> until_failure(1 / between.value);
  constexpr int kSaves = 40000;
  double time = 0;
  for (int saved = 0; saved < kSaves;) {
    const double lasts = until_failure(draw), needed = (interval + write).value;
    time += std::min(lasts, needed);
    saved += lasts >= needed ? 1 : 0;
  }
  CHECK(checkpoint_loss(kLongWork, interval, write, between) ==
        Approx(1 - kSaves * interval.value / time).margin(0.005));
}

TEST_CASE("a run that ends before its first save loses all of its work at a failure") {
  const Seconds work{1000}, write{50}, between{10000};
  const double never = checkpoint_loss(work, {2000}, write, between);
  CHECK(never == checkpoint_loss(work, work, write, between));
  CHECK(never == Approx(1 - 0.1 / std::expm1(0.1)));
  CHECK(checkpoint_loss(work, {500}, write, between) > never);  // saving costs more than it gains
  CHECK(checkpoint_loss({1e6}, {1e6}, write, between) == Approx(1));
}
