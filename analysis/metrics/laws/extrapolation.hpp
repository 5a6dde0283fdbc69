// SPDX-License-Identifier: Apache-2.0
// Predicts times at GPU counts without measurements from all scaling laws that fit, with their
// uncertainty.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/fit.hpp"
#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {

/// Smallest number of points that allows a choice between laws.
inline constexpr std::size_t kFewestForLaws = 3;
/// Largest ratio to the largest measured GPU count up to which the weights of the laws are trusted.
inline constexpr double kTrustedReach = 8;

struct WeightedFit {
  Fit fit;
  double weight = 0;  ///< weight in the average; 0 for laws that are not averaged
  /// 95 % interval of each coefficient, from refits to resampled residuals. Empty if all residuals
  /// are 0.
  std::vector<Interval> intervals;
};

struct Prediction {
  double gpus = 1;
  double time = 0;  ///< average of the laws
  double low = 0;   ///< low end of the 95 % range of one more measurement
  double high = 0;
  bool beyond = false;  ///< true beyond kTrustedReach; low and high then span all laws that fit
};

/// Ratio of a law's leave-one-out error to that of the best law, above which the points rule out
/// the law.
inline constexpr double kRuledOut = 8;

/// Average of the laws that apply and can be judged, in the order of their table. All averaged laws
/// that are not ruled out have equal weights. How well a law fills gaps is a poor guide to how it
/// continues, and weights estimated from few points add their own error (Smith and Wallis, 2009).
class LawAverage {
 public:
  /// Requires at least kFewestForLaws points with ascending GPU counts of at least 1 and times
  /// above 0. Throws base::RunError otherwise.
  explicit LawAverage(LawData data);

  const LawData& data() const { return data_; }
  const std::vector<WeightedFit>& fits() const { return fits_; }
  /// Returns the fit of the averaged law that predicts left-out points best.
  const Fit& best() const;
  /// Returns the prediction for `gpus` GPUs, in the unit of the data's times. Throws base::RunError
  /// below 1 GPU.
  Prediction predict(double gpus) const;

 private:
  /// Fits of one law to resampled residuals, together with these residuals, which are enlarged to
  /// correct for the degrees of freedom that fitting used.
  struct Refits {
    std::vector<double> coefficients;  ///< coefficients of one refit after the other
    std::vector<double> errors;        ///< residuals as factors, by point
  };
  /// Refits the law. `drawn` names the point whose residual each point gets, for one refit after
  /// the other.
  Refits refit(const Fit& fit, const std::vector<std::size_t>& drawn) const;
  void weigh();
  void span_all(Prediction& result, const std::vector<std::size_t>& drawn) const;
  /// Returns one more measurement for each refit, with the residuals of the points `drawn`.
  std::vector<double> futures(std::size_t law, double gpus,
                              const std::vector<std::size_t>& drawn) const;

  LawData data_;
  std::vector<WeightedFit> fits_;
  std::vector<Refits> refits_;
};

}  // namespace dlscale::analysis
