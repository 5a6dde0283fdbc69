// SPDX-License-Identifier: Apache-2.0
// Terms through measured quantities: the computation of a step on one GPU, from steps measured at
// other batches.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/band.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

// Two terms through measured quantities, and how sure they are.

/// A measured time or size, and what each of two coefficients is multiplied with to make it.
struct TermPoint {
  double first = 0;
  double second = 0;
  double measured = 0;  ///< above 0
  double known = 0;     ///< of `measured`: what is there whatever the coefficients are
};

struct TermFit {
  contract::FittedValue first, second;  ///< with 95 % intervals, neither below 0
  double relative_error = 0;            ///< root mean square of fitted / measured - 1
  double squares = 0;                   ///< sum of the squares of these
  int points = 0;
  double at(double a, double b) const { return first.value * a + second.value * b; }
};

/// Least squares of relative errors under coefficients that are not negative; intervals by the
/// covariance and Student's t with points - 2 degrees of freedom. With fewer than three points, and
/// of a coefficient held at 0, the interval is the value. At least one point.
TermFit fit_terms(const std::vector<TermPoint>& points);

/// Half the width of a 95 % interval in standard errors: Student's t, two-sided.
double student_95(int degrees);

/// Of at least one value; the mean of the two in the middle of an even count.
double median(std::vector<double> values);

// Computation of a step on one GPU, from steps measured at other batches.

/// t(B) = start + B x per_sample, neither negative: what launching kernels costs, and the slope.
struct BatchFit {
  Seconds start;
  Seconds per_sample;
  double relative_error = 0;  ///< root mean square of fitted / measured - 1
  Seconds at(double batch) const { return start + per_sample * batch; }
};

/// Least squares of relative errors; of one point a line through the origin. Not empty.
BatchFit fit_batches(const std::vector<double>& batches, const std::vector<double>& seconds);

struct ComputeEstimate {
  ComputeTimes times;
  Factors sure;
  int measured = 0;           ///< batches that it rests on; 0: the roofline alone
  bool extrapolated = false;  ///< the batch is more than twice as large or as small as all of them
  Seconds deviation;          ///< of a step, that ranks do not share; 0: not measured
};

/// What computation is estimated from.
struct ComputeBasis {
  Rates rates;
  int optimizer_states = 0;
  std::vector<contract::ComputeTime> measured;  ///< of the card; none: the roofline alone
  Factors roofline_sure;                        ///< of the roofline alone
  int ranks_on_node = 1;  ///< that compute at the same time, and share memory and power
  std::vector<contract::KernelModel> kernels;  ///< learned times; none: the roofline's
};

/// How much longer a pass takes where several ranks of a node compute, against the fewest measured.
class Sharing {
 public:
  /// `factors`: at each number of ranks measured; of the fewest 1.
  explicit Sharing(std::map<int, double> factors) : factors_(std::move(factors)) {}
  /// Between numbers measured ln factor is linear in ln ranks; beyond them as between the two last,
  /// neither falling nor steeper than in proportion.
  double at(int ranks) const;

 private:
  std::map<int, double> factors_;
};

/// Learned kernels are this far from measured ones: PDT's kernels, ±20 % (Barrachina et al., 2023).
inline constexpr Factors kLearnedSure{0.8, 1.25};

/// The roofline's times, or those of learned kernels where there are some, stretched to what the
/// measured steps say of forward pass, backward pass and optimizer; without any, as they are. The
/// middle steps of each batch on the fewest ranks of a node make the line over the batch, those of
/// more ranks say how much longer it then takes.
ComputeEstimate estimate_compute(const contract::ModelCard& card, double batch,
                                 const ComputeBasis& basis);

/// Of all times those of a model card in the precision that the runs had, which may share its card
/// with another: tf32 computes otherwise than fp32, fp16 than bf16.
std::vector<contract::ComputeTime> times_of(const std::vector<contract::ComputeTime>& all,
                                            const contract::ModelCard& card,
                                            const std::string& precision);

/// Of several ranks on a node those of `framework` alone, where it was measured on as many: what it
/// exchanges meanwhile makes passes longer. Of one rank, which exchanges nothing, all.
std::vector<contract::ComputeTime> times_as_in(const std::vector<contract::ComputeTime>& times,
                                               const std::string& framework);

}  // namespace dlscale::predict
