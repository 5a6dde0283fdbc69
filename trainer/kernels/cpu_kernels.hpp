// SPDX-License-Identifier: Apache-2.0
// Selection between the CPU kernels of this folder and the kernels of LibTorch.
#pragma once

#include <string_view>

namespace dlscale::trainer {

/// Values of a run's `cpu_kernels`. The first is the default.
inline constexpr std::string_view kFastKernels = "fast";
inline constexpr std::string_view kFrameworkKernels = "framework";

/// Selects the kernels of the whole process, which trains one run. Must be called before a model is
/// built. The default is true.
void use_fast_cpu_kernels(bool fast);
bool uses_fast_cpu_kernels();

}  // namespace dlscale::trainer
