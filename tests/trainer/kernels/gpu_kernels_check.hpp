// SPDX-License-Identifier: Apache-2.0
// Checks of the layers in trainer/kernels/gpu_kernels.hpp, with the selected kernels, against
// LibTorch in float64. Memory that the kernels leave unwritten is detected as NaN.
#pragma once

#include <torch/types.h>

namespace dlscale::test {

/// Checks batch norms. In all three checks, `few` selects one shape instead of many, for tools that
/// slow kernels down.
void check_gpu_norm(const at::Device& device, bool few = false);
void check_gpu_max_pool(const at::Device& device, bool few = false);
void check_gpu_cross_entropy(const at::Device& device, bool few = false);

}  // namespace dlscale::test
