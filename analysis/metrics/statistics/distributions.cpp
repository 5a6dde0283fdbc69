// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/distributions.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace dlscale::analysis {

double coin_cdf(std::size_t n, std::size_t k) {
  const boost::math::binomial coins(static_cast<double>(n), 0.5);
  return boost::math::cdf(coins, static_cast<double>(k));
}

double binomial_cdf(std::size_t n, double p, std::size_t k) {
  const boost::math::binomial trials(static_cast<double>(n), p);
  return boost::math::cdf(trials, static_cast<double>(k));
}

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal(), p);
}

double student_t_quantile(double p, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), p);
}

double normal_two_sided_p(double z) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(z)));
}

double chi_squared_upper_p(double x, double degrees_of_freedom) {
  const boost::math::chi_squared distribution(degrees_of_freedom);
  return boost::math::cdf(boost::math::complement(distribution, x));
}

}  // namespace dlscale::analysis
