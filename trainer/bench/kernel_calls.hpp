// SPDX-License-Identifier: Apache-2.0
// Calls of layer kernels that a benchmark can repeat. The kernels are called like in the models of
// this program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trainer/bench/kernel_sizes.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {

using KernelCall = std::function<void()>;

/// Allocates the arrays of a kernel and returns a function that calls the kernel. Images have the
/// same layout as in training: channels last on CPUs and, if the precision is 16-bit, on GPUs. A
/// backward kernel is called through autograd. Its autograd graph comes from a single forward call.
/// `precision` is fp32 or bf16. Optimizers and the parameters of batch norms always use fp32.
/// Throws base::UsageError for a kernel outside kernel_classes(). LibTorch's exception is passed on
/// when there is not enough memory.
KernelCall make_kernel_call(const std::string& kernel, const KernelSize& size,
                            const std::string& precision, const Device& device);

/// Returns the number of sets of arrays whose inputs and outputs have at least `rotated_bytes`
/// bytes together: at least 1 and at most 1,000. `kernel` must be the name of one of
/// kernel_classes().
std::size_t rotated_sets(const std::string& kernel, const KernelSize& size,
                         const std::string& precision, std::int64_t rotated_bytes);

/// Makes `sets` kernel calls with `make`, each with its own arrays. Returns a function that runs
/// the next of these kernel calls each time. With enough sets of arrays, a kernel finds its arrays
/// outside of the caches, like a layer in a training step.
KernelCall rotating_call(const std::function<KernelCall()>& make, std::size_t sets);

}  // namespace dlscale::trainer
