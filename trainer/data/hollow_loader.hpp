// SPDX-License-Identifier: Apache-2.0
// For ranks whose style gives them no samples of their own.
#pragma once

#include <memory>

#include "trainer/data/loader.hpp"

namespace dlscale::trainer {

/// Its batches have their number of samples and nothing else: an input of samples x 0 values.
std::unique_ptr<Loader> make_hollow_loader();

}  // namespace dlscale::trainer
