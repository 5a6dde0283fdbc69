// SPDX-License-Identifier: Apache-2.0
// Watch of CUDA kernels and copies, with the times that the driver reports.
#pragma once

#include <memory>

#include "trainer/profile/step_profile.hpp"

namespace dlscale::trainer {

/// Starts a watch of the GPU. A process can have only one such watch at a time.
std::unique_ptr<KernelWatch> make_gpu_watch();

}  // namespace dlscale::trainer
