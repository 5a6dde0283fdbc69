// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/laws/fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

/// Largest residual of a fit that counts as exact. Such a residual is due to rounding errors only.
constexpr double kExact = 1e-12;

std::vector<double> inverse_times_of(const LawData& data) {
  std::vector<double> inverse;
  for (const LawPoint& point : data.points) inverse.push_back(1 / point.time);
  return inverse;
}

/// Returns the root mean square of the relative errors when each point is predicted by a fit to the
/// other points. Returns an empty value if one of these fits is impossible.
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
    if (!(time > 0)) return std::nullopt;  // a time must be positive
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

namespace {

/// Threshold for linear dependence. A column counts as dependent if the part of it that is
/// independent of the columns before it is at most this fraction of its length.
constexpr double kDependent = 1e-12;

Coefficients spread_over(unsigned subset, const Coefficients& x) {
  Coefficients all{};
  for (std::size_t j = 0, next = 0; j < kMostTerms; ++j) {
    if ((subset >> j & 1U) != 0) all[j] = x[next++];
  }
  return all;
}

}  // namespace

void NonNegativeToOnes::rotate_in(Coefficients row, double right) {
  for (std::size_t j = 0; j < columns_; ++j) {
    if (row[j] == 0) continue;
    if (r_[j][j] == 0) {  // row j of R is still empty and takes the rest of the new row
      r_[j] = row;
      right_[j] = right;
      return;
    }
    const double inverse = 1 / std::sqrt(r_[j][j] * r_[j][j] + row[j] * row[j]);
    const double cosine = r_[j][j] * inverse;
    const double sine = row[j] * inverse;
    for (std::size_t i = j; i < columns_; ++i) {
      const double kept = r_[j][i];
      r_[j][i] = cosine * kept + sine * row[i];
      row[i] = cosine * row[i] - sine * kept;
    }
    const double kept = std::exchange(right_[j], cosine * right_[j] + sine * right);
    right = cosine * right - sine * kept;
  }
  error_ += right * right;
}

NonNegativeToOnes NonNegativeToOnes::restricted_to(unsigned subset) const {
  NonNegativeToOnes part(0);
  std::array<std::size_t, kMostTerms> used{};
  for (std::size_t j = 0; j < columns_; ++j) {
    if ((subset >> j & 1U) != 0) used[part.columns_++] = j;
  }
  part.error_ = error_;
  for (std::size_t i = 0; i < columns_; ++i) {
    Coefficients row{};
    for (std::size_t j = 0; j < part.columns_; ++j) row[j] = used[j] < i ? 0 : r_[i][used[j]];
    part.rotate_in(row, right_[i]);
  }
  return part;
}

std::optional<Coefficients> NonNegativeToOnes::solve_unconstrained() const {
  Coefficients x{};
  for (std::size_t j = columns_; j-- > 0;) {
    double length = 0;
    for (std::size_t i = 0; i <= j; ++i) length += r_[i][j] * r_[i][j];
    if (std::abs(r_[j][j]) <= kDependent * std::sqrt(length)) return std::nullopt;
    x[j] = right_[j];
    for (std::size_t i = j + 1; i < columns_; ++i) x[j] -= r_[j][i] * x[i];
    x[j] /= r_[j][j];
  }
  return x;
}

std::optional<Coefficients> NonNegativeToOnes::solve() const {
  if (rows_ < columns_) return std::nullopt;
  const auto is_feasible = [](const std::optional<Coefficients>& x) {
    return x && *std::min_element(x->begin(), x->end()) >= 0;
  };
  const std::optional<Coefficients> free = solve_unconstrained();
  if (is_feasible(free)) return free;  // no subset of columns can be better than all columns
  std::optional<Coefficients> best;
  double least = 0;
  for (unsigned subset = 1; subset < (1U << columns_) - 1; ++subset) {
    const NonNegativeToOnes part = restricted_to(subset);
    const std::optional<Coefficients> x = part.solve_unconstrained();
    if (!is_feasible(x) || (best && part.error_ >= least)) continue;
    best = spread_over(subset, *x);
    least = part.error_;
  }
  return best;
}

LawTerms::LawTerms(const ScalingLaw& law, const LawData& data) : law_(&law) {
  for (const LawPoint& point : data.points) add(data.first_gpus(), data.work, point.gpus);
}

LawTerms::LawTerms(const ScalingLaw& law, Work work, double first_gpus, double gpus) : law_(&law) {
  add(first_gpus, work, gpus);
}

void LawTerms::add(double first_gpus, Work work, double gpus) {
  const std::vector<double> terms = law_->terms(gpus, first_gpus, work);
  if (terms.size() > kMostTerms) {
    throw base::RunError(std::string("scaling law ") + law_->name + " has more than 4 terms");
  }
  size_ = terms.size();
  Row row{{}, gpus / first_gpus};
  std::copy(terms.begin(), terms.end(), row.terms.begin());
  rows_.push_back(row);
}

std::optional<Coefficients> LawTerms::fit(const std::vector<double>& inverse_times,
                                          std::optional<std::size_t> left_out) const {
  NonNegativeToOnes squares(size_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (left_out == i) continue;
    // The terms of a law of rates add up to the rate G / (G0 T) instead of the time T.
    const double scale =
        law_->of_rate ? 1 / (rows_[i].times_first * inverse_times[i]) : inverse_times[i];
    Coefficients row = rows_[i].terms;
    for (double& term : row) term *= scale;
    squares.append(row);
  }
  return squares.solve();
}

double LawTerms::time(std::size_t i, const double* coefficients) const {
  const Row& row = rows_[i];
  double sum = 0;
  for (std::size_t j = 0; j < size_; ++j) sum += coefficients[j] * row.terms[j];
  return law_->of_rate ? row.times_first / sum : sum;
}

}  // namespace dlscale::analysis
