// SPDX-License-Identifier: Apache-2.0
#include "predict/compute_fit.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace dlscale::predict;

namespace {

std::vector<TermPoint> line(double first, double second, double noise, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::vector<TermPoint> points;
  for (double x = 1; x <= 1024; x *= 2) {
    const double wobble = 1 + noise * (static_cast<double>(engine() % 2001) / 1000 - 1);
    points.push_back({1, x, (first + second * x) * wobble});
  }
  return points;
}

}  // namespace

TEST_CASE("coefficients without noise are found with intervals of no width") {
  const TermFit fit = fit_terms(line(3, 0.5, 0));
  CHECK(fit.first.value == Approx(3));
  CHECK(fit.second.value == Approx(0.5));
  CHECK(fit.relative_error < 1e-12);
  CHECK(fit.first.high - fit.first.low < 1e-6);
  CHECK(fit.points == 11);
  CHECK(fit.at(1, 100) == Approx(53));
}

TEST_CASE("95 % intervals contain the true value in more than 91 % of the cases") {
  int holds = 0;
  constexpr int kTries = 400;
  for (unsigned seed = 0; seed < kTries; ++seed) {
    const TermFit fit = fit_terms(line(3, 0.5, 0.1, seed));
    if (fit.second.low <= 0.5 && 0.5 <= fit.second.high) ++holds;
  }
  CHECK(holds > 0.91 * kTries);
  CHECK(holds < kTries);
}

TEST_CASE("a coefficient that would be negative is 0, and the other is adjusted") {
  const TermFit falling = fit_terms({{1, 1, 4}, {1, 2, 3}, {1, 4, 2}});
  CHECK(falling.second.value == 0);
  CHECK(falling.first.value > 2);
  const TermFit steep = fit_terms({{1, 1, 0.5}, {1, 2, 3}, {1, 4, 9}});
  CHECK(steep.first.value == 0);
  CHECK(steep.second.value > 0);
}

TEST_CASE("known times are left out of the coefficients but not of the error") {
  const TermFit fit = fit_terms({{1, 1, 103.5, 100}, {1, 2, 54, 50}, {1, 4, 15, 10}});
  CHECK(fit.first.value == Approx(3));
  CHECK(fit.second.value == Approx(0.5));
  CHECK(fit.relative_error < 1e-12);
  // If the known times exceed the measured times, the coefficients are 0.
  const TermFit none = fit_terms({{1, 1, 90, 100}, {1, 2, 45, 50}});
  CHECK(none.first.value == 0);
  CHECK(none.second.value == 0);
  CHECK(none.relative_error == Approx(0.111).margin(0.001));
}

TEST_CASE("one size gives a line through the origin without an interval") {
  const TermFit fit = fit_terms({{2, 8, 4}});
  CHECK(fit.first.value == 0);
  CHECK(fit.second.value == Approx(0.5));
  CHECK(fit.second.low == fit.second.high);
}

TEST_CASE("Student's t matches the tables") {
  CHECK(student_95(1) == Approx(12.706));
  CHECK(student_95(10) == Approx(2.228));
  CHECK(student_95(60) == Approx(2.000).margin(0.002));
  CHECK(student_95(100000) == Approx(1.96).margin(0.001));
}
