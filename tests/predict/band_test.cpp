// SPDX-License-Identifier: Apache-2.0
#include "predict/band.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::predict;

TEST_CASE("widening a band by 1 does not change it") {
  const Band band = widened({10, 8, 15}, {1, 1});
  CHECK(band.low == 8);
  CHECK(band.high == 15);
}

TEST_CASE("a band without width gets the width of the factors") {
  const Band band = widened({10, 10, 10}, {0.5, 3});
  CHECK(band.value == 10);
  CHECK(band.low == Approx(5));
  CHECK(band.high == Approx(30));
}

TEST_CASE("combined widths are below their product and above each width") {
  const Band band = widened({1, 0.5, 2}, {0.5, 2});
  CHECK(band.low > 0.25);
  CHECK(band.low < 0.5);
  CHECK(band.high > 2);
  CHECK(band.high < 4);
}

TEST_CASE("edges and values of 0 stay 0") {
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
