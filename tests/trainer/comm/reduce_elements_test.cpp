// SPDX-License-Identifier: Apache-2.0
// Tests of the 16-bit float types against their definitions.
#include "trainer/comm/reduce_elements.hpp"
#include "trainer/numbers/half_types.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

using namespace dlscale::trainer;

namespace {

float number(std::uint32_t bits) {
  trainer::Float16 half;
  half.bits = static_cast<std::uint16_t>(bits);
  return static_cast<float>(half);
}

float brain_number(std::uint32_t bits) {
  trainer::BFloat16 half;
  half.bits = static_cast<std::uint16_t>(bits);
  return static_cast<float>(half);
}

/// Returns the value that IEEE 754 defines for these bits of a float16 number.
float defined(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10) & 31, fraction = static_cast<int>(bits) & 1023;
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                   : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return (bits & 0x8000U) != 0 ? -size : size;
}

}  // namespace

TEST_CASE("every finite float16 has its IEEE 754 value and converts back exactly") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (((bits >> 10) & 31) == 31) continue;
    wrong += number(bits) == defined(bits) && trainer::Float16(number(bits)).bits == bits ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(std::isinf(number(0x7c00)));
  CHECK(std::isnan(number(0x7c01)));
}

TEST_CASE("conversion to 16-bit floats rounds to nearest, with ties to even") {
  int wrong = 0;
  const auto check = [&wrong](auto rounded, std::uint32_t low, float below, float above) {
    const float middle = below + (above - below) / 2;
    wrong += rounded(middle) == low + (low & 1) ? 0 : 1;
    wrong += rounded(std::nextafter(middle, below)) == low ? 0 : 1;
    wrong += rounded(std::nextafter(middle, above)) == low + 1 ? 0 : 1;
  };
  for (std::uint32_t low = 0; low < 0x7bff; ++low) {
    check([](float f) { return trainer::Float16(f).bits; }, low, number(low), number(low + 1));
  }
  for (std::uint32_t low = 0; low < 0x7f7f; ++low) {
    check([](float f) { return trainer::BFloat16(f).bits; }, low, brain_number(low),
          brain_number(low + 1));
  }
  CHECK(wrong == 0);
}

TEST_CASE("conversion to 16-bit floats turns too large values into infinity and keeps NaN") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK(trainer::Float16(65519.0F).bits == 0x7bff);
  CHECK(trainer::Float16(65520.0F).bits == 0x7c00);
  CHECK(trainer::Float16(-1e10F).bits == 0xfc00);
  CHECK(trainer::Float16(kInfinity).bits == 0x7c00);
  CHECK(std::isnan(static_cast<float>(trainer::Float16(std::nanf("")))));
  CHECK(trainer::BFloat16(kInfinity).bits == 0x7f80);
  CHECK(trainer::BFloat16(std::numeric_limits<float>::max()).bits == 0x7f80);
  CHECK(std::isnan(static_cast<float>(trainer::BFloat16(std::nanf("")))));
}

TEST_CASE("sums of 16-bit floats are computed in fp32 and rounded once") {
  std::vector<trainer::Float16> into{trainer::Float16(2048.0F), trainer::Float16(1.0F)};
  std::vector<trainer::Float16> from{trainer::Float16(3.0F), trainer::Float16(1.0F / 2048)};
  reduce_elements({into.data(), 2, ElementType::float16}, {from.data(), 2, ElementType::float16},
                  ReduceOp::sum);
  CHECK(static_cast<float>(into[0]) == 2052);  // 2051 lies between 2050 and 2052
  CHECK(static_cast<float>(into[1]) == 1);     // half of the last bit rounds to even
}
