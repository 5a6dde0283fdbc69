// SPDX-License-Identifier: Apache-2.0
// CUDA kernels and copies, as the driver reports them.
#pragma once

#include <memory>

#include "trainer/profile/step_profile.hpp"

namespace dlscale::trainer {

/// One at a time in a process.
std::unique_ptr<KernelWatch> make_gpu_watch();

}  // namespace dlscale::trainer
