// SPDX-License-Identifier: Apache-2.0
// A predicted number with the values that it is likely to lie between.
#pragma once

namespace dlscale::predict {

/// Factors that a value is likely to lie between: value x low to value x high.
struct Factors {
  double low = 1;
  double high = 1;
};

struct Band {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Returns the band with both edges moved outwards by independent factors: the logarithms of the
/// distances to the value are added in quadrature, so that no edge passes 0.
Band widened(Band band, Factors factors);

/// Returns the band of `value` x `scale`, edges included.
Band scaled(const Band& band, double scale);

}  // namespace dlscale::predict
