// SPDX-License-Identifier: Apache-2.0
// Kernels of layers as this program's models call them, made ready to be called again and again.
#pragma once

#include <functional>
#include <string>

#include "trainer/bench/kernel_sizes.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {

using KernelCall = std::function<void()>;

/// Allocates what the kernel works on. Images lie as training puts them: channels last on
/// processors and in 16 bits. Backward kernels are called through autograd, on the graph of one
/// forward call. `precision`: fp32, bf16; optimizers and batch norms' parameters stay fp32. Throws
/// base::UsageError for a kernel that is not of kernel_classes(), LibTorch's errors where memory is
/// short.
KernelCall make_kernel_call(const std::string& kernel, const KernelSize& size,
                            const std::string& precision, const Device& device);

}  // namespace dlscale::trainer
