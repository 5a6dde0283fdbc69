// SPDX-License-Identifier: Apache-2.0
#include "predict/band.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::predict;

TEST_CASE("a band that is widened by 1 stays as it is") {
  const Band band = widened({10, 8, 15}, {1, 1});
  CHECK(band.low == 8);
  CHECK(band.high == 15);
}

TEST_CASE("a band without width takes that of the factors") {
  const Band band = widened({10, 10, 10}, {0.5, 3});
  CHECK(band.value == 10);
  CHECK(band.low == Approx(5));
  CHECK(band.high == Approx(30));
}

TEST_CASE("two widths are less than their product and more than either") {
  const Band band = widened({1, 0.5, 2}, {0.5, 2});
  CHECK(band.low > 0.25);
  CHECK(band.low < 0.5);
  CHECK(band.high > 2);
  CHECK(band.high < 4);
}

TEST_CASE("an edge of 0 stays 0, and so does a value of 0") {
  CHECK(widened({10, 0, 10}, {0.5, 2}).low == 0);
  const Band nothing = widened({0, 0, 0}, {0.5, 2});
  CHECK(nothing.low == 0);
  CHECK(nothing.high == 0);
}

TEST_CASE("a band is scaled with its edges") {
  const Band band = scaled({2, 1, 4}, 10);
  CHECK(band.value == 20);
  CHECK(band.low == 10);
  CHECK(band.high == 40);
}
