// SPDX-License-Identifier: Apache-2.0
// Fits two terms to measured quantities, and predicts the computation of a step on one GPU from
// steps measured with other batches.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/band.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

// Fits of two terms to measured quantities, with intervals.

/// Measured time or size, with the factors of the two coefficients that describe it.
struct TermPoint {
  double first = 0;
  double second = 0;
  double measured = 0;  ///< measured value, above 0
  double known = 0;     ///< part of `measured` that does not depend on the coefficients
};

/// Fitted coefficients of two terms, with their errors.
struct TermFit {
  contract::FittedValue first, second;  ///< non-negative coefficients with 95 % intervals
  double relative_error = 0;            ///< root mean square of fitted / measured - 1
  double squares = 0;                   ///< sum of the squares of fitted / measured - 1
  int points = 0;
  double at(double a, double b) const { return first.value * a + second.value * b; }
};

/// Fits two non-negative coefficients by least squares of relative errors. The intervals follow
/// from the covariance and Student's t. There are points - 2 degrees of freedom, or points - 1 if
/// one coefficient is held at 0. With fewer than three points, and for a coefficient held at 0, the
/// interval contains only the value. Requires at least one point.
TermFit fit_terms(const std::vector<TermPoint>& points);

/// Returns half the width of a 95 % interval in standard errors: the two-sided quantile of
/// Student's t.
double student_95(int degrees);

/// Returns the median of at least one value. The median of an even count is the mean of the two
/// middle values.
double median(std::vector<double> values);

// Computation of a step on one GPU, estimated from steps measured with other batches.

/// Line over the batch: t(B) = start + B x per_sample, with non-negative coefficients. `start` is
/// the time to launch kernels.
struct BatchFit {
  Seconds start;
  Seconds per_sample;
  double relative_error = 0;  ///< root mean square of fitted / measured - 1
  Seconds at(double batch) const { return start + per_sample * batch; }
};

/// Fits a line to the times of batches by least squares of relative errors. A single point gives a
/// line through the origin. The vectors must not be empty.
BatchFit fit_batches(const std::vector<double>& batches, const std::vector<double>& seconds);

/// Estimated computation of a step, with its likely range.
struct ComputeEstimate {
  ComputeTimes times;
  Factors sure;
  int measured = 0;           ///< number of measured batches; 0: not measured
  bool extrapolated = false;  ///< batch above twice the largest or below half the smallest measured
  Seconds deviation;          ///< deviation of a step that ranks do not share; 0: not measured
};

/// Data from which the computation of a step is estimated.
struct ComputeBasis {
  Rates rates;
  int optimizer_states = 0;
  std::vector<contract::ComputeTime> measured;  ///< measured steps of the card; may be empty
  Factors roofline_sure;  ///< likely range of the roofline without measurements
  int ranks_on_node = 1;  ///< ranks that compute at the same time and share memory and power
  std::vector<contract::KernelModel> kernels;  ///< models of kernels; may be empty
};

/// Slow-down of a pass when several ranks of a node compute, relative to the fewest measured ranks.
class Sharing {
 public:
  /// Takes the factor at each measured number of ranks. The factor for the fewest ranks is 1.
  explicit Sharing(std::map<int, double> factors) : factors_(std::move(factors)) {}
  /// Returns the factor for `ranks` ranks. Between measured numbers ln(factor) is linear in
  /// ln(ranks). Above the largest number the line through the last two numbers continues, with a
  /// slope limited to 0 to 1. Below the smallest number the factor is constant.
  double at(int ranks) const;

 private:
  std::map<int, double> factors_;
};

/// Likely range of learned kernels relative to measured kernels. PDT's kernels have ±20 %
/// (Barrachina et al., 2023).
inline constexpr Factors kLearnedSure{0.8, 1.25};

/// Returns the computation of a step. The times of layers come from the roofline, or from learned
/// kernels if they are available. If steps were measured, the forward pass, the backward pass and
/// the optimizer are scaled to the measured times. The line over the batch goes through the median
/// step of each batch on the fewest ranks of a node. Steps with more ranks on a node show how much
/// longer the passes then take.
ComputeEstimate estimate_compute(const contract::ModelCard& card, double batch,
                                 const ComputeBasis& basis);

/// Returns the times of a model card in the precision of the runs. Two precisions may share a card
/// although their times differ: tf32 and fp32, fp16 and bf16.
std::vector<contract::ComputeTime> times_of(const std::vector<contract::ComputeTime>& all,
                                            const contract::ModelCard& card,
                                            const std::string& precision);

/// Returns the times that apply to `framework`. If the framework was measured with several ranks on
/// a node, omits other frameworks with as many ranks, because the exchange of data makes passes
/// longer. Keeps all times of one rank, which does not exchange data.
std::vector<contract::ComputeTime> times_as_in(const std::vector<contract::ComputeTime>& times,
                                               const std::string& framework);

}  // namespace dlscale::predict
