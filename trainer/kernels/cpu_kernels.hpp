// SPDX-License-Identifier: Apache-2.0
// Whether models on CPUs compute with the kernels of this folder or with LibTorch's alone.
#pragma once

#include <string_view>

namespace dlscale::trainer {

/// What a run's `cpu_kernels` may be, and what it is unless it is said.
inline constexpr std::string_view kFastKernels = "fast";
inline constexpr std::string_view kFrameworkKernels = "framework";

/// Of the whole process, as at::globalContext() is: a process trains one run. Set before a model is
/// built; true unless set.
void use_fast_cpu_kernels(bool fast);
bool uses_fast_cpu_kernels();

}  // namespace dlscale::trainer
