// SPDX-License-Identifier: Apache-2.0
// Fits a scaling law to measured times by least squares. A law has few terms, and their
// coefficients must not be negative.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/metrics/laws/scaling_law.hpp"

namespace dlscale::analysis {

// Data that a scaling law is fitted to, and the result of the fit.

struct LawPoint {
  double gpus = 1;  ///< GPU count, at least 1
  /// Time of a step, an epoch or a sample, above 0. All points give the time of the same quantity.
  double time = 0;
};

/// Measured points for one kind of work, by ascending GPU count. Each GPU count occurs once.
struct LawData {
  Work work = Work::PerGpu;
  std::vector<LawPoint> points;
  double first_gpus() const { return points.front().gpus; }
  double last_gpus() const { return points.back().gpus; }
};

struct Fit {
  const ScalingLaw* law = nullptr;
  std::vector<double> coefficients;  ///< coefficients >= 0
  double residual = 0;               ///< root mean square of T_law / T - 1
  /// Root mean square of T_law / T - 1 when each point is predicted by a law that is fitted to the
  /// other points. Empty if the number of points does not exceed the number of coefficients.
  std::optional<double> leave_one_out;
  /// Akaike's information criterion with the correction for few points (Hurvich and Tsai, 1989).
  /// The variance of the errors counts as one parameter. Empty if there are too few points for the
  /// correction or if the fit is exact.
  std::optional<double> aicc;
};

/// Fits a law by least squares of the relative errors, with coefficients >= 0. The result is the
/// best solution without negative coefficients among the solutions for all subsets of terms.
/// Returns an empty value if the law does not apply, has more coefficients than there are points,
/// or gives a point a time that is not positive.
std::optional<Fit> fit(const ScalingLaw& law, const LawData& data);

/// Returns the time that the fitted law gives at `gpus` GPUs, in the unit of the times in `data`.
double predicted_time(const Fit& fit, const LawData& data, double gpus);

// Least-squares solver for few unknowns that must not be negative. Private to
// analysis/metrics/laws.

inline constexpr std::size_t kMostTerms = 4;
/// Coefficients of the terms of a law. Entries beyond the number of terms are 0.
using Coefficients = std::array<double, kMostTerms>;

/// Solver for the x >= 0 that minimises |A x - 1|², where 1 is a vector of ones. Rows of A are
/// given one after the other. The solver tries all subsets of columns and takes the best
/// unconstrained solution without negative entries. It stores only the triangular matrix R of a QR
/// decomposition of A and updates R with each row by Givens rotations. Normal equations would be
/// inaccurate, because they square the range of the terms, which spans many orders of magnitude.
class NonNegativeToOnes {
 public:
  /// Creates a solver for 1 to kMostTerms columns.
  explicit NonNegativeToOnes(std::size_t columns) : columns_(columns) {}

  void append(const Coefficients& row) {
    ++rows_;
    rotate_in(row, 1);
  }

  /// Returns the solution x. Returns an empty value if there are fewer rows than columns or if all
  /// columns are 0.
  std::optional<Coefficients> solve() const;

 private:
  void rotate_in(Coefficients row, double right);
  /// Returns a solver for the same rows with only the columns whose bits are set in `subset`.
  NonNegativeToOnes restricted_to(unsigned subset) const;
  /// Returns the solution with all columns, which may have negative entries. Returns an empty value
  /// if the columns depend on each other.
  std::optional<Coefficients> solve_unconstrained() const;

  std::size_t columns_, rows_ = 0;
  std::array<Coefficients, kMostTerms> r_{};  ///< upper triangular matrix R
  Coefficients right_{};                      ///< right-hand side of R x = right
  double error_ = 0;  ///< sum of squares |A x - 1|² for the x that solves R x = right
};

// Values of a law's terms at a list of GPU counts. They are computed once and used for many fits.
// Private to analysis/metrics/laws.

class LawTerms {
 public:
  /// Computes the terms at the GPU counts of all points in `data`. The law must apply to the work
  /// of `data`.
  LawTerms(const ScalingLaw& law, const LawData& data);
  /// Computes the terms at the GPU count `gpus` of a curve whose smallest measured GPU count is
  /// `first_gpus`.
  LawTerms(const ScalingLaw& law, Work work, double first_gpus, double gpus);

  /// Returns the number of terms of the law.
  std::size_t size() const { return size_; }

  /// Returns the coefficients >= 0 with the smallest sum of squared relative errors.
  /// `inverse_times` holds 1 / T for each GPU count. The time with index `left_out` is ignored.
  /// Returns an empty value if there are fewer times than terms.
  std::optional<Coefficients> fit(const std::vector<double>& inverse_times,
                                  std::optional<std::size_t> left_out = std::nullopt) const;

  /// Returns the time that the law with these coefficients gives at the i-th GPU count, in the unit
  /// of the fitted times.
  double time(std::size_t i, const double* coefficients) const;

 private:
  struct Row {
    Coefficients terms{};
    double times_first = 1;  ///< GPU count divided by the first GPU count of the curve
  };
  void add(double first_gpus, Work work, double gpus);

  const ScalingLaw* law_;
  std::size_t size_ = 0;
  std::vector<Row> rows_;
};

}  // namespace dlscale::analysis
