// SPDX-License-Identifier: Apache-2.0
// Loaders that use the operators of NVIDIA DALI, on the CPU or on the GPU of the rank.
#include "trainer/data/dali/dali_loader.hpp"

namespace dlscale::trainer {

// Loader that runs the operators of NVIDIA DALI on the CPU.

namespace {

std::unique_ptr<Loader> make_dali_cpu_loader(const LoaderContext& context) {
  return dali::make_dali_loader(context, /*on_gpu=*/false);
}

}  // namespace

extern const LoaderEntry dali_cpu_entry;
const LoaderEntry dali_cpu_entry{
    .name = "dali_cpu",
    .summary = "JPEG and PNG files of any size, decoded, cropped and scaled by NVIDIA DALI",
    .make = make_dali_cpu_loader,
    .augments = true,
    .any_size = true,
    .why_missing = dali::why_missing};

// Loader that runs the operators of NVIDIA DALI on the GPU of the rank. nvJPEG decodes, and decoded
// images never lie in host memory.

namespace {

std::unique_ptr<Loader> make_dali_gpu_loader(const LoaderContext& context) {
  return dali::make_dali_loader(context, /*on_gpu=*/true);
}

}  // namespace

extern const LoaderEntry dali_gpu_entry;
const LoaderEntry dali_gpu_entry{
    .name = "dali_gpu",
    .summary = "JPEG and PNG files of any size, processed by NVIDIA DALI on the GPU",
    .make = make_dali_gpu_loader,
    .augments = true,
    .any_size = true,
    .needs_gpu = true,
    .why_missing = dali::why_missing};

}  // namespace dlscale::trainer
