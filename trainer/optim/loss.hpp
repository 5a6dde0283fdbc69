// SPDX-License-Identifier: Apache-2.0
// Loss functions that training minimises.
#pragma once

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Returns the cross-entropy of scores (samples x classes) against class numbers, as the mean over
/// the batch. With smoothing s and K classes, the target distribution is 1 - s for the true class
/// plus s / K for each class (Szegedy et al., Rethinking the Inception Architecture, 2016). Scores
/// in 16 bits are converted to fp32 first.
at::Tensor cross_entropy(const at::Tensor& scores, const at::Tensor& target, double smoothing);

}  // namespace dlscale::trainer
