// SPDX-License-Identifier: Apache-2.0
// Two terms through measured quantities, and how sure they are.
#pragma once

#include <vector>

#include "contract/records/calibration.hpp"

namespace dlscale::predict {

/// A measured time or size, and what each of two coefficients is multiplied with to make it.
struct TermPoint {
  double first = 0;
  double second = 0;
  double measured = 0;  ///< above 0
  double known = 0;     ///< of `measured`: what is there whatever the coefficients are
};

struct TermFit {
  contract::FittedValue first, second;  ///< with 95 % intervals, neither below 0
  double relative_error = 0;            ///< root mean square of fitted / measured - 1
  double squares = 0;                   ///< sum of the squares of these
  int points = 0;
  double at(double a, double b) const { return first.value * a + second.value * b; }
};

/// Least squares of relative errors under coefficients that are not negative; intervals by the
/// covariance and Student's t with points - 2 degrees of freedom. With fewer than three points, and
/// of a coefficient held at 0, the interval is the value. At least one point.
TermFit fit_terms(const std::vector<TermPoint>& points);

/// Half the width of a 95 % interval in standard errors: Student's t, two-sided.
double student_95(int degrees);

/// Of at least one value; the mean of the two in the middle of an even count.
double median(std::vector<double> values);

}  // namespace dlscale::predict
