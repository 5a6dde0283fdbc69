// SPDX-License-Identifier: Apache-2.0
// Private to analysis/metrics/laws: a law's terms at some GPU counts, made once for many fits.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/fit.hpp"
#include "analysis/metrics/laws/least_squares.hpp"

namespace dlscale::analysis {

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
