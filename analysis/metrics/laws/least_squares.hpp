// SPDX-License-Identifier: Apache-2.0
// Private to analysis/metrics/laws: least squares of a few unknowns that must not be negative.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace dlscale::analysis {

inline constexpr std::size_t kMostTerms = 4;
/// As many as a law has terms; the rest is 0.
using Coefficients = std::array<double, kMostTerms>;

/// x >= 0 that minimises |A x - 1|², A's rows taken one after the other: the best of the
/// unconstrained solutions over all subsets of columns that has no negative part. Nothing is kept
/// of a row but what it does to R of QR, by Givens' rotations (terms of G have ranges of many
/// orders of magnitude, which normal equations would square).
class NonNegativeToOnes {
 public:
  /// 1 to kMostTerms columns.
  explicit NonNegativeToOnes(std::size_t columns) : columns_(columns) {}

  void take(const Coefficients& row) {
    ++rows_;
    rotate_in(row, 1);
  }

  /// Empty where there are fewer rows than columns or all columns are 0.
  std::optional<Coefficients> solve() const;

 private:
  void rotate_in(Coefficients row, double right);
  /// With the columns in `subset` alone, whose number is `columns_` of the one that is returned.
  NonNegativeToOnes restricted_to(unsigned subset) const;
  /// Of all columns, negative or not; empty where they depend on each other.
  std::optional<Coefficients> solve_unconstrained() const;

  std::size_t columns_, rows_ = 0;
  std::array<Coefficients, kMostTerms> r_{};  ///< upper triangle
  Coefficients right_{};                      ///< of R x = right
  double error_ = 0;                          ///< |A x - 1|² for the x that solves that
};

}  // namespace dlscale::analysis
