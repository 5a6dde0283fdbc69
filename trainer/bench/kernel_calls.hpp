// SPDX-License-Identifier: Apache-2.0
// Calls of layer kernels that a benchmark can repeat. The kernels are called like in the models of
// this program.
#pragma once

#include <functional>
#include <string>

#include "trainer/bench/kernel_sizes.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {

using KernelCall = std::function<void()>;

/// Allocates the arrays of a kernel and returns a function that calls the kernel. Images have the
/// same layout as in training: channels last on CPUs, and on GPUs in 16-bit precision. A backward
/// kernel is called through autograd. Its autograd graph comes from a single forward call.
/// `precision` is fp32 or bf16. Optimizers and the parameters of batch norms always use fp32.
/// Throws base::UsageError for a kernel outside kernel_classes(). LibTorch's exception is passed on
/// when there is not enough memory.
KernelCall make_kernel_call(const std::string& kernel, const KernelSize& size,
                            const std::string& precision, const Device& device);

}  // namespace dlscale::trainer
