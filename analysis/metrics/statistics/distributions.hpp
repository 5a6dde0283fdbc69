// SPDX-License-Identifier: Apache-2.0
// Private to analysis/metrics/statistics and analysis/metrics/laws: distributions that tests and
// intervals rest on.
#pragma once

#include <cstddef>

namespace dlscale::analysis {

/// P(X <= k) of n fair coins.
double coin_cdf(std::size_t n, std::size_t k);
/// P(X <= k) of n trials that succeed with probability p.
double binomial_cdf(std::size_t n, double p, std::size_t k);
double normal_quantile(double p);
double student_t_quantile(double p, double degrees_of_freedom);
/// P(|Z| >= |z|).
double normal_two_sided_p(double z);
/// P(X >= x).
double chi_squared_upper_p(double x, double degrees_of_freedom);

}  // namespace dlscale::analysis
