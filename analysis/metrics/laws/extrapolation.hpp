// SPDX-License-Identifier: Apache-2.0
// Predicts times at GPU counts that were not measured, with their uncertainty. The predictions
// combine all scaling laws that can be fitted to the measured times.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/fit.hpp"
#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {

/// Smallest number of measured points for which laws are fitted. Fewer points cannot show which law
/// is better.
inline constexpr std::size_t kFewestForLaws = 3;
/// Largest ratio of a predicted GPU count to the largest measured one for which the weights of the
/// laws are trusted.
inline constexpr double kTrustedReach = 8;

struct WeightedFit {
  Fit fit;
  double weight = 0;  ///< weight of the law in the average; 0 for laws that are not averaged
  /// 95 % interval of each coefficient, from fits to times with resampled residuals. Empty if all
  /// residuals are 0.
  std::vector<Interval> intervals;
};

struct Prediction {
  double gpus = 1;
  double time = 0;  ///< predicted time, the average over the laws
  /// Low end of the range that contains one more measurement with 95 % probability.
  double low = 0;
  double high = 0;
  /// True if `gpus` exceeds kTrustedReach times the largest measured GPU count. `low` and `high`
  /// then enclose the ranges of all fitted laws.
  bool beyond = false;
};

/// Largest leave-one-out error of a law relative to the error of the best law. A law with a larger
/// error is ruled out and gets no weight.
inline constexpr double kRuledOut = 8;

/// Average of scaling laws that are fitted to the same points. All averaged laws that the points do
/// not rule out have equal weights. Weights by the error of each fit would be worse: how well a law
/// predicts a left-out point between measured points says little about GPU counts beyond these
/// points, and weights that are estimated from few points add an error (Smith and Wallis, 2009).
class LawAverage {
 public:
  /// Fits all laws to `data` and determines their weights. Throws base::RunError unless `data` has
  /// at least kFewestForLaws points with ascending GPU counts of at least 1 and times above 0.
  explicit LawAverage(LawData data);

  const LawData& data() const { return data_; }
  const std::vector<WeightedFit>& fits() const { return fits_; }
  /// Returns the fit with the smallest leave-one-out error among the averaged laws.
  const Fit& best() const;
  /// Returns the prediction for `gpus` GPUs, in the unit of the data's times. Throws base::RunError
  /// below 1 GPU.
  Prediction predict(double gpus) const;

 private:
  /// Fits of one law to times with resampled residuals, and the residuals from which the samples
  /// are drawn. The residuals are enlarged, because the fit used degrees of freedom and made them
  /// too small.
  struct Refits {
    std::vector<double> coefficients;  ///< coefficients of all refits, one refit after the other
    std::vector<double> errors;        ///< enlarged ratio of measured to fitted time, by point
  };
  /// Fits the law again and again to the fitted times with resampled residuals. For each refit in
  /// turn, `drawn` holds one index for each point: the point whose residual is used there.
  Refits refit(const Fit& fit, const std::vector<std::size_t>& drawn) const;
  void weigh();
  void span_all(Prediction& result, const std::vector<std::size_t>& drawn) const;
  /// Returns a simulated further measurement at `gpus` GPUs for each refit: the time of the
  /// refitted law multiplied by the residual of the point `drawn[i]` for refit i.
  std::vector<double> futures(std::size_t law, double gpus,
                              const std::vector<std::size_t>& drawn) const;

  LawData data_;
  std::vector<WeightedFit> fits_;
  std::vector<Refits> refits_;
};

}  // namespace dlscale::analysis
