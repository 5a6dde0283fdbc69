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

// The following declarations fit two terms to measured quantities, with confidence intervals.

/// Measured time or size that is modelled as known + c₁ x first + c₂ x second. A fit determines the
/// coefficients c₁ and c₂.
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

/// Fits two non-negative coefficients to the points by least squares of relative errors. The
/// confidence intervals follow from the covariance and Student's t. There are points - 2 degrees of
/// freedom, or points - 1 if one coefficient is held at 0. If there are fewer than three points, or
/// if the coefficient is held at 0, the interval contains only the fitted value. Requires at least
/// one point.
TermFit fit_terms(const std::vector<TermPoint>& points);

/// Returns the two-sided 95 % quantile of Student's t, which is half the width of a 95 % confidence
/// interval in units of the standard error. Returns 0 for fewer than one degree of freedom.
double student_95(int degrees);

/// Returns the median of at least one value. The median of an even count is the mean of the two
/// middle values.
double median(std::vector<double> values);

// The following declarations estimate the computation of a step on one GPU from steps measured with
// other batches.

/// Time of a batch as a straight line over the batch size B: t(B) = start + B x per_sample, with
/// non-negative coefficients. `start` is the time to launch kernels.
struct BatchFit {
  Seconds start;
  Seconds per_sample;
  double relative_error = 0;  ///< root mean square of fitted / measured - 1
  Seconds at(double batch) const { return start + per_sample * batch; }
};

/// Fits a line to times in seconds over batch sizes, by least squares of relative errors. A single
/// point gives a line through the origin. The vectors must not be empty.
BatchFit fit_batches(const std::vector<double>& batches, const std::vector<double>& seconds);

/// Estimated computation of a step, with its likely range.
struct ComputeEstimate {
  ComputeTimes times;
  Factors sure;
  int measured = 0;  ///< number of measured batch sizes; 0: no step was measured
  /// Flag: the batch is more than twice the largest measured batch, or less than half the smallest
  /// measured batch.
  bool extrapolated = false;
  /// Standard deviation of the part of the step time that varies from rank to rank. The value is 0
  /// if it was not measured.
  Seconds deviation;
};

/// Data from which the computation of a step is estimated.
struct ComputeBasis {
  Rates rates;
  int optimizer_states = 0;
  std::vector<contract::ComputeTime> measured;  ///< measured steps of the model; may be empty
  Factors roofline_sure;  ///< likely range of times that come from the roofline
  /// Number of ranks that compute on a node at the same time and share its memory and power.
  int ranks_on_node = 1;
  std::vector<contract::KernelModel> kernels;  ///< models of kernels; may be empty
};

/// Factors by which a pass takes longer if several ranks compute on the same node. The factor is 1
/// for the smallest measured number of ranks.
class Sharing {
 public:
  /// Stores the factor for each measured number of ranks on a node. The factor for the smallest
  /// number is 1.
  explicit Sharing(std::map<int, double> factors) : factors_(std::move(factors)) {}
  /// Returns the factor for `ranks` ranks on a node. Between two measured numbers of ranks,
  /// ln(factor) is linear in ln(ranks). Above the largest measured number, the line through the
  /// last two measured numbers continues, with its slope limited to the range from 0 to 1. Below
  /// the smallest measured number, the factor is that of the smallest number.
  double at(int ranks) const;

 private:
  std::map<int, double> factors_;
};

/// Likely range of real kernel times relative to times predicted by kernel models. The kernel
/// models of Barrachina et al. (2023) have errors of ±20 %.
inline constexpr Factors kLearnedSure{0.8, 1.25};

/// Returns the times of kernel models if these models cover at least 90 % of the roofline time of
/// the step. Returns nothing otherwise.
std::optional<ComputeTimes> kernel_times(const contract::ModelCard& card, double batch,
                                         const ComputeBasis& basis);

/// Returns the computation of a step.
/// - The times of layers come from the roofline, or from kernel models if these cover most of the
///   step.
/// - If steps were measured, the forward pass, the backward pass and the optimizer are scaled to
///   the measured times.
/// - The time of a pass is a line over the batch size. The line is fitted to the median of each
///   batch size, measured with the fewest ranks on a node.
/// - Steps that were measured with more ranks on a node show how much longer the passes take with
///   that many ranks.
ComputeEstimate estimate_compute(const contract::ModelCard& card, double batch,
                                 const ComputeBasis& basis);

/// Returns the times in `all` that were measured with the model of `card` in `precision`. The
/// precision is compared because two precisions may share a cost model although their times differ.
/// Examples are tf32 and fp32, and fp16 and bf16.
std::vector<contract::ComputeTime> times_of(const std::vector<contract::ComputeTime>& all,
                                            const contract::ModelCard& card,
                                            const std::string& precision);

/// Returns the times that apply to `framework`. Ranks on one node exchange data, which makes passes
/// longer in a way that depends on the framework. If `framework` was measured with several ranks on
/// a node, the times of other frameworks with the same number of ranks are omitted. All times that
/// were measured with one rank are kept, because one rank does not exchange data.
std::vector<contract::ComputeTime> times_as_in(const std::vector<contract::ComputeTime>& times,
                                               const std::string& framework);

}  // namespace dlscale::predict
