// SPDX-License-Identifier: Apache-2.0
// What times at GPU counts that nobody measured will be, by all laws that fit, and how sure that
// is.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/fit.hpp"
#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {

/// Fewer points make no choice between laws.
inline constexpr std::size_t kFewestForLaws = 3;
/// Up to this many times the largest count measured the weights of the laws are trusted.
inline constexpr double kTrustedReach = 8;

struct WeightedFit {
  Fit fit;
  double weight = 0;  ///< in the average; 0 of laws that are not averaged
  /// 95 % of each coefficient, from refits to resampled residuals; empty where all residuals are 0.
  std::vector<Interval> intervals;
};

struct Prediction {
  double gpus = 1;
  double time = 0;  ///< the laws' average
  double low = 0;   ///< 95 % of what one more measurement would find
  double high = 0;
  bool beyond = false;  ///< farther than kTrustedReach: low and high span all laws that fit
};

/// Laws whose leave-one-out error is so many times that of the best are ruled out by the points.
inline constexpr double kRuledOut = 8;

/// All laws that apply and can be judged, in the order of their table. Those that are averaged and
/// not ruled out weigh the same: how well a law fills gaps says little of how it continues, and
/// weights estimated from few points add their own error (Smith and Wallis, 2009).
class LawAverage {
 public:
  /// At least kFewestForLaws points, ascending, times and counts above 0; throws base::RunError.
  explicit LawAverage(LawData data);

  const LawData& data() const { return data_; }
  const std::vector<WeightedFit>& fits() const { return fits_; }
  /// Of the laws in the average the one that predicts left-out points best.
  const Fit& best() const;
  /// Throws base::RunError below 1 GPU.
  Prediction predict(double gpus) const;

 private:
  /// Fits of one law to resampled residuals, and those residuals, enlarged for what fitting took.
  struct Refits {
    std::vector<double> coefficients;  ///< of one refit after the other
    std::vector<double> errors;        ///< factors, by point
  };
  /// `drawn`: which point's residual each point gets, of one refit after the other.
  Refits refit(const Fit& fit, const std::vector<std::size_t>& drawn) const;
  void weigh();
  void span_all(Prediction& result, const std::vector<std::size_t>& drawn) const;
  /// Of one more measurement by each refit, with the residuals of the points `drawn`.
  std::vector<double> futures(std::size_t law, double gpus,
                              const std::vector<std::size_t>& drawn) const;

  LawData data_;
  std::vector<WeightedFit> fits_;
  std::vector<Refits> refits_;
};

}  // namespace dlscale::analysis
