// SPDX-License-Identifier: Apache-2.0
#include "predict/term_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace dlscale::predict {
namespace {

constexpr double kSingular = 1e-12;

/// Normal equations of relative errors: every row divided by what was measured, so that the right
/// side is 1 where nothing of it is known.
struct Normal {
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  double determinant() const { return aa * bb - ab * ab; }
  bool parallel() const { return determinant() <= kSingular * aa * bb; }
};

Normal normal_of(const std::vector<TermPoint>& points) {
  Normal n;
  for (const TermPoint& point : points) {
    const double a = point.first / point.measured, b = point.second / point.measured;
    const double rest = 1 - point.known / point.measured;
    n.aa += a * a;
    n.ab += a * b;
    n.bb += b * b;
    n.a1 += a * rest;
    n.b1 += b * rest;
  }
  return n;
}

contract::FittedValue with_error(double value, double error) {
  return {value, std::max(0.0, value - error), value + error};
}

}  // namespace

double student_95(int degrees) {
  constexpr std::array<double, 30> kTable{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                          2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                          2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                          2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees < 1) return 0;
  if (degrees <= static_cast<int>(kTable.size())) {
    return kTable[static_cast<std::size_t>(degrees - 1)];
  }
  return 1.96 + 2.4 / degrees;  // within 0.001 of the table's continuation
}

TermFit fit_terms(const std::vector<TermPoint>& points) {
  const Normal n = normal_of(points);
  TermFit fit{.points = static_cast<int>(points.size())};
  double first = 0, second = 0;
  bool both = !n.parallel();
  if (both) {
    first = (n.a1 * n.bb - n.b1 * n.ab) / n.determinant();
    second = (n.b1 * n.aa - n.a1 * n.ab) / n.determinant();
    both = first >= 0 && second >= 0;
  }
  // Of two optima on the edges the feasible one: where one coefficient came out negative, the other
  // alone; of parallel terms the second, for time per byte says more than a latency.
  const bool first_alone = !both && (n.bb <= 0 || (!n.parallel() && second < 0));
  if (!both) {
    first = first_alone ? std::max(0.0, n.a1 / n.aa) : 0;
    second = first_alone ? 0 : std::max(0.0, n.b1 / n.bb);
  }
  for (const TermPoint& point : points) {
    const double fitted = point.known + first * point.first + second * point.second;
    fit.squares += std::pow(fitted / point.measured - 1, 2);
  }
  fit.relative_error = std::sqrt(fit.squares / fit.points);
  const int degrees = fit.points - (both ? 2 : 1);
  const bool sure = fit.points >= 3;
  const double variance = sure ? fit.squares / degrees : 0;
  const double t = sure ? student_95(degrees) : 0;
  const auto error = [&](double inverse) { return t * std::sqrt(variance * inverse); };
  if (both) {
    fit.first = with_error(first, error(n.bb / n.determinant()));
    fit.second = with_error(second, error(n.aa / n.determinant()));
  } else if (first_alone) {
    fit.first = with_error(first, error(1 / n.aa));
  } else {
    fit.second = with_error(second, error(1 / n.bb));
  }
  return fit;
}

double median(std::vector<double> values) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), place, values.end());
  if (values.size() % 2 == 1) return *place;
  return (*place + *std::max_element(values.begin(), place)) / 2;
}

}  // namespace dlscale::predict
