// SPDX-License-Identifier: Apache-2.0
// Computation of a step on one GPU, from steps measured at other batches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/calibration.hpp"
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

/// How sure computation is: factors that it lies between.
struct Factors {
  double low = 1;
  double high = 1;
};

struct ComputeEstimate {
  ComputeTimes times;
  Factors sure;
  int measured = 0;           ///< batches that it rests on; 0: the roofline alone
  bool extrapolated = false;  ///< the batch is more than twice as large or as small as all of them
};

/// What computation is estimated from.
struct ComputeBasis {
  Rates rates;
  int optimizer_states = 0;
  std::vector<contract::ComputeTime> measured;  ///< of the card; none: the roofline alone
  Factors roofline_sure;                        ///< of the roofline alone
};

/// The roofline's times stretched to what the measured steps say of forward pass, backward pass and
/// optimizer; without any, the roofline's.
ComputeEstimate estimate_compute(const contract::ModelCard& card, double batch,
                                 const ComputeBasis& basis);

/// Of all times those of a model card.
std::vector<contract::ComputeTime> times_of(const std::vector<contract::ComputeTime>& all,
                                            const contract::ModelCard& card);

}  // namespace dlscale::predict
