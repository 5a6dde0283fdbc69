// SPDX-License-Identifier: Apache-2.0
// Loader that uses NVIDIA DALI to make its images.
#pragma once

#include <memory>
#include <string>

#include "trainer/data/loader.hpp"

namespace dlscale::trainer::dali {

/// Returns a loader in which DALI decodes, scales and normalises images. The sample order, crops,
/// mirroring and treatment of broken images are the same as in the other loaders of images of any
/// size. If `on_gpu` is true, the GPU of the rank processes the images, and the batches lie in GPU
/// memory. Throws base::RunError (contract::kExitBadRunDescription) when DALI is not found or
/// cannot run on the machine.
std::unique_ptr<Loader> make_dali_loader(const LoaderContext& context, bool on_gpu);

/// Returns why DALI is not available on this machine, or an empty string when DALI is available.
std::string why_missing();

/// Returns the version and path of DALI, or "no: " and the reason.
std::string describe_library();

}  // namespace dlscale::trainer::dali
