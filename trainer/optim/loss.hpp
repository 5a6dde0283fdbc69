// SPDX-License-Identifier: Apache-2.0
// Loss functions that training minimises.
#pragma once

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Returns the cross-entropy loss, as the mean over the samples of the batch. `scores` has the
/// shape samples x classes, and `target` holds the class number of each sample. With smoothing s
/// and K classes, the target distribution gives s / K to every class and an additional 1 - s to the
/// true class (Szegedy et al., Rethinking the Inception Architecture, 2016). Scores in 16 bits are
/// converted to fp32 first.
at::Tensor cross_entropy(const at::Tensor& scores, const at::Tensor& target, double smoothing);

}  // namespace dlscale::trainer
