// SPDX-License-Identifier: Apache-2.0
// Watch that measures CUDA kernels and copies, whose times the CUDA driver reports.
#pragma once

#include <memory>

#include "trainer/profile/step_profile.hpp"

namespace dlscale::trainer {

/// Starts a watch of all CUDA kernels and copies of this process. A process can have only one such
/// watch at a time.
std::unique_ptr<KernelWatch> make_gpu_watch();

}  // namespace dlscale::trainer
