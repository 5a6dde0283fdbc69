// SPDX-License-Identifier: Apache-2.0
// Computes what a publication states about performance models, from the user's calibration and from
// predictions whose runs were measured.
#pragma once

#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/publications/measured_value.hpp"
#include "contract/records/calibration.hpp"

namespace dlscale::analysis {

/// Data about the user's performance models. Absent data are null.
struct ModelData {
  const contract::Calibration* calibration = nullptr;
  std::vector<const Frame*> frames = {};  ///< runs together with their saved predictions
};

/// Returns true if a quantity describes performance models: errors of estimates (relative_error,
/// weighted_relative_error), all-reduce times by message size, and the calibrated latency and
/// bandwidth of a link.
bool is_about_models(const Published& published);

struct ModelValue {
  OwnValue value;
  std::string point;   ///< what the value was computed from, as text
  std::string source;  ///< "calibration" or "prediction"
};

/// Returns the user's value of a quantity about performance models, in base units:
/// - The error of `kernel` estimates is the mean over the kernel models in the calibration. If the
///   publication states an upper bound, it is the largest error.
/// - The error of `step` estimates is the mean of |predicted / measured - 1| over the points with a
///   saved prediction. Weighted errors divide the mean difference by the mean measured time.
///   Without such points, it is the error of the layers of a step in the calibration.
/// - The error of `layer` estimates compares the layers of measured steps with the kernel models of
///   the calibration. Weighted errors are those of eq. (3) of Barrachina et al. Other errors are
///   the median of |estimated / measured - 1|. Nothing is returned if the kernel models estimate
///   less than 90 % of the measured time.
/// - The error of `all_reduce` estimates is the mean of |fitted / measured - 1| over the measured
///   messages.
/// - An all-reduce time is interpolated between the measured sizes of this number of ranks. Nothing
///   is extrapolated.
ModelValue model_value(const Published& published, const ModelData& data);

}  // namespace dlscale::analysis
