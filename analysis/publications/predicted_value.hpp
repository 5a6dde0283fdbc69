// SPDX-License-Identifier: Apache-2.0
// Takes, from the user's saved predictions, the quantities that a publication states.
#pragma once

#include "analysis/publications/measured_value.hpp"

namespace dlscale::analysis {

/// Returns the predicted value of the published quantity at the predicted point `question.own`, in
/// base units. The interval is the range of the prediction. An efficiency or a speed-up relative to
/// a point at which the predicted curve does not begin has no interval, because the ranges of the
/// two predictions depend on each other.
OwnValue predicted_value(const Question& question);

/// Returns the measured value of a measured point, the predicted value of a predicted point, or the
/// computed value of a planned point.
OwnValue own_value(const Question& question);

}  // namespace dlscale::analysis
