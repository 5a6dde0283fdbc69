// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/laws/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dlscale::analysis {
namespace {

/// What is left of a column beside the others, as a share of it, when it depends on them.
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
    if (r_[j][j] == 0) {  // then nothing has this row of R yet
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
  if (is_feasible(free)) return free;  // nothing is nearer
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

}  // namespace dlscale::analysis
