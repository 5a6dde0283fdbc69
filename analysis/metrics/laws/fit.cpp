// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/laws/fit.hpp"

#include <cmath>

#include "analysis/metrics/laws/law_terms.hpp"

namespace dlscale::analysis {
namespace {

/// What rounding leaves of a fit through all points.
constexpr double kExact = 1e-12;

std::vector<double> inverse_times_of(const LawData& data) {
  std::vector<double> inverse;
  for (const LawPoint& point : data.points) inverse.push_back(1 / point.time);
  return inverse;
}

/// Root mean square error of each point, predicted by the others.
std::optional<double> leave_one_out(const LawTerms& terms, const std::vector<double>& inverse) {
  double squares = 0;
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const auto coefficients = terms.fit(inverse, i);
    if (!coefficients) return std::nullopt;
    const double error = terms.time(i, coefficients->data()) * inverse[i] - 1;
    squares += error * error;
  }
  const double mean_square = squares / static_cast<double>(inverse.size());
  if (!std::isfinite(mean_square)) return std::nullopt;
  return std::sqrt(mean_square);
}

std::optional<double> aicc_of(double residual, double n, double coefficients) {
  const double k = coefficients + 1;
  if (n - k - 1 <= 0 || residual <= kExact) return std::nullopt;
  return 2 * n * std::log(residual) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

}  // namespace

std::optional<Fit> fit(const ScalingLaw& law, const LawData& data) {
  if (*form_of(law, data.work).text == '\0' || data.points.empty()) return std::nullopt;
  const LawTerms terms(law, data);
  const std::vector<double> inverse = inverse_times_of(data);
  const auto found = terms.fit(inverse);
  if (!found) return std::nullopt;
  Fit result{&law, {found->data(), found->data() + terms.size()}, 0, std::nullopt, std::nullopt};
  double squares = 0;
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    const double time = terms.time(i, found->data());
    if (!(time > 0)) return std::nullopt;  // nothing takes no time
    squares += (time * inverse[i] - 1) * (time * inverse[i] - 1);
  }
  const auto n = static_cast<double>(inverse.size());
  result.residual = std::sqrt(squares / n);
  result.leave_one_out = leave_one_out(terms, inverse);
  result.aicc = aicc_of(result.residual, n, static_cast<double>(terms.size()));
  return result;
}

double predicted_time(const Fit& fit, const LawData& data, double gpus) {
  const LawTerms terms(*fit.law, data.work, data.first_gpus(), gpus);
  return terms.time(0, fit.coefficients.data());
}

}  // namespace dlscale::analysis
