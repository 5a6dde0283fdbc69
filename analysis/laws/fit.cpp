// SPDX-License-Identifier: Apache-2.0
#include "analysis/laws/fit.hpp"

#include <cmath>

#include "analysis/laws/least_squares.hpp"

namespace dlscale::analysis {
namespace {

/// What rounding leaves of a fit through all points.
constexpr double kExact = 1e-12;

double rate_of(const LawPoint& point, double first_gpus) {
  return point.gpus / first_gpus / point.time;
}

/// Rows whose product with the coefficients is law / measured, of all points but `left_out`.
std::vector<std::vector<double>> rows_of(const ScalingLaw& law, const LawData& data,
                                         std::optional<std::size_t> left_out) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    if (left_out == i) continue;
    const LawPoint& point = data.points[i];
    const double measured = law.of_rate ? rate_of(point, data.first_gpus()) : point.time;
    rows.push_back(law.terms(point.gpus, data.first_gpus(), data.work));
    for (double& term : rows.back()) term /= measured;
  }
  return rows;
}

double relative_error(const Fit& fit, const LawData& data, const LawPoint& point) {
  return predicted_time(fit, data, point.gpus) / point.time - 1;
}

/// Root mean square error of each point, predicted by the others.
std::optional<double> leave_one_out(const ScalingLaw& law, const LawData& data) {
  double squares = 0;
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    const auto coefficients = non_negative_to_ones(rows_of(law, data, i));
    if (!coefficients) return std::nullopt;
    const double error = relative_error({&law, *coefficients, 0, {}, {}}, data, data.points[i]);
    squares += error * error;
  }
  const double mean_square = squares / static_cast<double>(data.points.size());
  if (!std::isfinite(mean_square)) return std::nullopt;
  return std::sqrt(mean_square);
}

std::optional<double> aicc_of(double residual, double n, double coefficients) {
  const double k = coefficients + 1;
  if (n - k - 1 <= 0 || residual <= kExact) return std::nullopt;
  return 2 * n * std::log(residual) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

}  // namespace

std::optional<Fit> fit_coefficients(const ScalingLaw& law, const LawData& data) {
  if (*form_of(law, data.work).text == '\0' || data.points.empty()) return std::nullopt;
  const auto coefficients = non_negative_to_ones(rows_of(law, data, std::nullopt));
  if (!coefficients) return std::nullopt;
  return Fit{&law, *coefficients, 0, std::nullopt, std::nullopt};
}

std::optional<Fit> fit(const ScalingLaw& law, const LawData& data) {
  std::optional<Fit> result = fit_coefficients(law, data);
  if (!result) return std::nullopt;
  double squares = 0;
  for (const LawPoint& point : data.points) {
    const double error = relative_error(*result, data, point);
    squares += error * error;
  }
  const auto n = static_cast<double>(data.points.size());
  result->residual = std::sqrt(squares / n);
  result->leave_one_out = leave_one_out(law, data);
  result->aicc = aicc_of(result->residual, n, static_cast<double>(result->coefficients.size()));
  return result;
}

double predicted_time(const Fit& fit, const LawData& data, double gpus) {
  const std::vector<double> terms = fit.law->terms(gpus, data.first_gpus(), data.work);
  double sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) sum += fit.coefficients[i] * terms[i];
  return fit.law->of_rate ? gpus / data.first_gpus() / sum : sum;
}

}  // namespace dlscale::analysis
