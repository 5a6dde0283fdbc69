// SPDX-License-Identifier: Apache-2.0
#include "predict/band.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::predict {
namespace {

/// Joins two factors of at least 1: their logarithms are added in quadrature.
double joined(double a, double b) {
  return std::exp(std::hypot(std::log(std::max(1.0, a)), std::log(std::max(1.0, b))));
}

}  // namespace

Band widened(Band band, Factors factors) {
  if (band.value <= 0 || (factors.low >= 1 && factors.high <= 1)) return band;
  // A low edge of 0 is infinitely far from the value, and stays 0.
  band.low = band.low > 0 ? band.value / joined(band.value / band.low, 1 / factors.low) : 0;
  band.high = band.value * joined(band.high / band.value, factors.high);
  return band;
}

Band scaled(const Band& band, double scale) {
  return {band.value * scale, band.low * scale, band.high * scale};
}

}  // namespace dlscale::predict
