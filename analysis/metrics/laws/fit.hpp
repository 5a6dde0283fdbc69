// SPDX-License-Identifier: Apache-2.0
// Fits a scaling law to measured times, by least squares of few terms with non-negative
// coefficients.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/metrics/laws/scaling_law.hpp"

namespace dlscale::analysis {

// Fit of a scaling law to measured times.

struct LawPoint {
  double gpus = 1;  ///< GPU count, at least 1
  double time = 0;  ///< time above 0 of a step, epoch or sample, of one kind in all points
};

/// Points of one kind of work by ascending GPU count. Each count occurs once.
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
  /// Root mean square of T_law / T - 1 when each point is predicted by the other points. Empty if
  /// there are not more points than coefficients.
  std::optional<double> leave_one_out;
  /// Akaike's criterion corrected for few points (Hurvich and Tsai, 1989), with the variance
  /// counted as a parameter. Empty if there are too few points for the correction or if the fit is
  /// exact.
  std::optional<double> aicc;
};

/// Fits a law by least squares of relative errors with coefficients >= 0. The result is the best
/// feasible solution over all subsets of terms. Returns an empty value if the law does not apply,
/// has more coefficients than there are points, or gives a point a time that is not positive.
std::optional<Fit> fit(const ScalingLaw& law, const LawData& data);

/// Returns T at `gpus` GPUs, in the unit of the times in `data`.
double predicted_time(const Fit& fit, const LawData& data, double gpus);

// Least squares of few unknowns that must not be negative. Private to analysis/metrics/laws.

inline constexpr std::size_t kMostTerms = 4;
/// Coefficients of the terms of a law. Entries beyond the number of terms are 0.
using Coefficients = std::array<double, kMostTerms>;

/// Solver for the x >= 0 that minimises |A x - 1|², with the rows of A given one after the other.
/// The solution is the best one without negative entries among the unconstrained solutions for all
/// subsets of columns. The solver stores only R of the QR decomposition and updates it with each
/// row by Givens rotations. Terms in G have ranges of many orders of magnitude, which normal
/// equations would square.
class NonNegativeToOnes {
 public:
  /// Creates a solver for 1 to kMostTerms columns.
  explicit NonNegativeToOnes(std::size_t columns) : columns_(columns) {}

  void append(const Coefficients& row) {
    ++rows_;
    rotate_in(row, 1);
  }

  /// Returns x. Returns an empty value if there are fewer rows than columns or if all columns are
  /// 0.
  std::optional<Coefficients> solve() const;

 private:
  void rotate_in(Coefficients row, double right);
  /// Returns the solver with only the columns in the bit set `subset`. The `columns_` of the result
  /// is the number of these columns.
  NonNegativeToOnes restricted_to(unsigned subset) const;
  /// Returns the solution with all columns, which may have negative entries. Returns an empty value
  /// if the columns depend on each other.
  std::optional<Coefficients> solve_unconstrained() const;

  std::size_t columns_, rows_ = 0;
  std::array<Coefficients, kMostTerms> r_{};  ///< upper triangular matrix R
  Coefficients right_{};                      ///< right-hand side of R x = right
  double error_ = 0;                          ///< |A x - 1|² for the x that solves R x = right
};

// Terms of a law at some GPU counts, computed once for many fits. Private to analysis/metrics/laws.

class LawTerms {
 public:
  /// Computes the terms at the GPU counts of all points in `data`. The law must apply to the work
  /// of `data`.
  LawTerms(const ScalingLaw& law, const LawData& data);
  /// Computes the terms at one GPU count of a curve that begins at `first_gpus`.
  LawTerms(const ScalingLaw& law, Work work, double first_gpus, double gpus);

  /// Returns the number of terms of the law.
  std::size_t size() const { return size_; }

  /// Returns the coefficients >= 0 with the least squares of relative errors over all times except
  /// the one at `left_out`. `inverse_times` holds 1 / T for each GPU count. Returns an empty value
  /// if there are fewer times than terms.
  std::optional<Coefficients> fit(const std::vector<double>& inverse_times,
                                  std::optional<std::size_t> left_out = std::nullopt) const;

  /// Returns T at the i-th GPU count, in the unit of the fitted times.
  double time(std::size_t i, const double* coefficients) const;

 private:
  struct Row {
    Coefficients terms{};
    double times_first = 1;  ///< ratio G / G0
  };
  void add(double first_gpus, Work work, double gpus);

  const ScalingLaw* law_;
  std::size_t size_ = 0;
  std::vector<Row> rows_;
};

}  // namespace dlscale::analysis
