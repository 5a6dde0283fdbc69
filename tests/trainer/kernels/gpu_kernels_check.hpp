// SPDX-License-Identifier: Apache-2.0
// Checks the layers of trainer/kernels/gpu_kernels.hpp, with the kernels that are set, against
// LibTorch in float64. Memory that kernels leave unwritten shows as NaN.
#pragma once

#include <torch/types.h>

namespace dlscale::test {

/// `few`: one shape each instead of many, for tools that slow kernels down.
void check_gpu_norm(const at::Device& device, bool few = false);
void check_gpu_max_pool(const at::Device& device, bool few = false);
void check_gpu_cross_entropy(const at::Device& device, bool few = false);

}  // namespace dlscale::test
