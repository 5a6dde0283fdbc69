// SPDX-License-Identifier: Apache-2.0
#include "trainer/device/gpu.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace {

void require_success(cudaError_t result, int gpu) {
  if (result == cudaSuccess) return;
  throw base::RunError(fmt::format("GPU {}: {}", gpu, cudaGetErrorString(result)),
                       contract::kExitBadRunDescription);
}

}  // namespace

int gpu_of(int local_rank) {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaSuccess && count > 0) return local_rank % count;
  throw base::RunError(
      fmt::format("no GPU is visible ({}); check the driver with nvidia-smi, the job's request for "
                  "GPUs and CUDA_VISIBLE_DEVICES",
                  result == cudaSuccess ? "the driver lists no GPU" : cudaGetErrorString(result)),
      contract::kExitBadRunDescription);
}

void use_gpu(int gpu) {
  require_success(cudaSetDevice(gpu), gpu);
}

GpuIdentity identity_of(int gpu) {
  cudaDeviceProp properties{};
  require_success(cudaGetDeviceProperties(&properties, gpu), gpu);
  GpuIdentity identity{};
  static_assert(sizeof(properties.uuid.bytes) == sizeof(identity));
  std::copy(std::begin(properties.uuid.bytes), std::end(properties.uuid.bytes), identity.begin());
  return identity;
}

std::string gpu_name(int local_rank) {
  const int gpu = gpu_of(local_rank);
  cudaDeviceProp properties{};
  require_success(cudaGetDeviceProperties(&properties, gpu), gpu);
  return properties.name;
}

}  // namespace dlscale::trainer
