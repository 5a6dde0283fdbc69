// SPDX-License-Identifier: Apache-2.0
// Repeatable calls of layer kernels, set up like in the models of this program.
#pragma once

#include <functional>
#include <string>

#include "trainer/bench/kernel_sizes.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {

using KernelCall = std::function<void()>;

/// Allocates the arrays of a kernel and returns a call of the kernel. Images have the layout of
/// training: channels last on CPUs and in 16 bits. Backward kernels are called through autograd on
/// the graph of one forward call. `precision` is fp32 or bf16. Optimizers and the parameters of
/// batch norms always use fp32. Throws base::UsageError for a kernel outside kernel_classes(), and
/// LibTorch's errors when memory is short.
KernelCall make_kernel_call(const std::string& kernel, const KernelSize& size,
                            const std::string& precision, const Device& device);

}  // namespace dlscale::trainer
