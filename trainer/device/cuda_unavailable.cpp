// SPDX-License-Identifier: Apache-2.0
// Stubs of the GPU functions for builds without CUDA.
#include "trainer/device/device.hpp"
#include "trainer/device/gpu.hpp"
#include "trainer/kernels/cuda/launches.hpp"

namespace dlscale::trainer {

std::string gpu_name(int) {
  return {};
}

const kernel::Launches* kernel::gpu_launches() {
  return nullptr;
}

extern const DeviceEntry cuda_entry;
const DeviceEntry cuda_entry{
    .name = "cuda",
    .summary = "NVIDIA GPUs, one per rank",
    .make = nullptr,
    .unavailable = "this build has no CUDA; build with: cmake --preset cuda (docs/gpu.md)"};

}  // namespace dlscale::trainer
