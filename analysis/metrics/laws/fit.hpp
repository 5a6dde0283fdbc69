// SPDX-License-Identifier: Apache-2.0
// A scaling law put through measured times: least squares of a few terms that must not be negative.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/metrics/laws/scaling_law.hpp"

namespace dlscale::analysis {

// A scaling law put through measured times.

struct LawPoint {
  double gpus = 1;  ///< at least 1
  double time = 0;  ///< above 0: of a step, an epoch, a sample; all of one kind
};

/// Points of one kind of work by ascending GPU count, no count twice.
struct LawData {
  Work work = Work::PerGpu;
  std::vector<LawPoint> points;
  double first_gpus() const { return points.front().gpus; }
  double last_gpus() const { return points.back().gpus; }
};

struct Fit {
  const ScalingLaw* law = nullptr;
  std::vector<double> coefficients;  ///< none negative
  double residual = 0;               ///< root mean square of T_law / T - 1
  /// The same where each point in turn is predicted by the others. Empty with fewer points than one
  /// more than coefficients.
  std::optional<double> leave_one_out;
  /// Akaike's criterion corrected for few points (Hurvich and Tsai, 1989), the variance counted as
  /// a parameter; empty where there are too few for the correction, or the fit is exact.
  std::optional<double> aicc;
};

/// Least squares of relative errors under coefficients >= 0 (of all subsets of terms the best
/// feasible). Empty where the law does not apply, has more coefficients than there are points, or
/// would have a point take no time.
std::optional<Fit> fit(const ScalingLaw& law, const LawData& data);

/// T at `gpus` GPUs, in the unit of `data`'s times.
double predicted_time(const Fit& fit, const LawData& data, double gpus);

// Private to analysis/metrics/laws: least squares of a few unknowns that must not be negative.

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

// Private to analysis/metrics/laws: a law's terms at some GPU counts, made once for many fits.

class LawTerms {
 public:
  /// At the counts of all points of `data`; the law applies to its work.
  LawTerms(const ScalingLaw& law, const LawData& data);
  /// At one count, of a curve that begins at `first_gpus`.
  LawTerms(const ScalingLaw& law, Work work, double first_gpus, double gpus);

  /// How many terms the law has.
  std::size_t size() const { return size_; }

  /// Least squares of relative errors under coefficients >= 0, of all times but for the one at
  /// `left_out`, given as 1 / T for each of these counts. Empty where there are fewer times than
  /// terms.
  std::optional<Coefficients> fit(const std::vector<double>& inverse_times,
                                  std::optional<std::size_t> left_out = std::nullopt) const;

  /// T at the count at `i`, in the unit of the times that the coefficients were fitted to.
  double time(std::size_t i, const double* coefficients) const;

 private:
  struct Row {
    Coefficients terms{};
    double times_first = 1;  ///< G / G0
  };
  void add(double first_gpus, Work work, double gpus);

  const ScalingLaw* law_;
  std::size_t size_ = 0;
  std::vector<Row> rows_;
};

}  // namespace dlscale::analysis
