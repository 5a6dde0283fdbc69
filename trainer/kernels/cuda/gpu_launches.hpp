// SPDX-License-Identifier: Apache-2.0
// Function that starts the kernels that nvcc compiles. Only files of this folder may use it.
#pragma once

#include <driver_types.h>

#include "trainer/kernels/cuda/launches.hpp"

namespace dlscale::trainer::kernel {

/// Starts a kernel in `stream`. Returns the CUDA error code of the start.
cudaError_t start(const Call& call, cudaStream_t stream);

}  // namespace dlscale::trainer::kernel
