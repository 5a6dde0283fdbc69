// SPDX-License-Identifier: Apache-2.0
// What training minimises.
#pragma once

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Cross-entropy, mean over the batch, of scores (samples x classes) against class numbers. With
/// smoothing s the target gives 1 - s to the true class and s / classes to each (Szegedy et al.,
/// Rethinking the Inception Architecture, 2016). Scores in 16 bits are widened to fp32 first.
at::Tensor cross_entropy(const at::Tensor& scores, const at::Tensor& target, double smoothing);

}  // namespace dlscale::trainer
