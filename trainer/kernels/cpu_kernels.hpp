// SPDX-License-Identifier: Apache-2.0
// Selection between the CPU kernels of this folder and the kernels of LibTorch.
#pragma once

#include <string_view>

namespace dlscale::trainer {

/// Values of the key `cpu_kernels` in a run description. "fast" is the default.
inline constexpr std::string_view kFastKernels = "fast";
inline constexpr std::string_view kFrameworkKernels = "framework";

/// Selects the CPU kernels for the whole process. If `fast` is true, models use the kernels of this
/// folder, and otherwise the kernels of LibTorch. Must be called before a model is built. Without a
/// call, models use the kernels of this folder.
void use_fast_cpu_kernels(bool fast);
bool uses_fast_cpu_kernels();

}  // namespace dlscale::trainer
