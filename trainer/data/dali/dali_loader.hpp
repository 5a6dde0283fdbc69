// SPDX-License-Identifier: Apache-2.0
// The loader whose images NVIDIA DALI makes.
#pragma once

#include <memory>
#include <string>

#include "trainer/data/loader.hpp"

namespace dlscale::trainer::dali {

/// Order, crops, mirroring and what happens to broken pictures are those of every loader of
/// pictures; DALI decodes, scales and normalises. `on_gpu`: by the rank's GPU, in whose memory the
/// batches then are. Throws base::RunError (contract::kExitBadRunDescription) where DALI is not
/// found, or refuses the machine.
std::unique_ptr<Loader> make_dali_loader(const LoaderContext& context, bool on_gpu);

/// Why this machine has no DALI; empty where it has.
std::string why_missing();

/// Its version, or "no: " and why.
std::string describe_library();

}  // namespace dlscale::trainer::dali
