// SPDX-License-Identifier: Apache-2.0
// Computation of a step on one GPU, from steps measured at other batches.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/band.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

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
