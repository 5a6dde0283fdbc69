// SPDX-License-Identifier: Apache-2.0
// Loader for ranks that need no input data. For example, the later stages of a pipeline receive
// their input from other ranks.
#pragma once

#include <memory>

#include "trainer/data/loader.hpp"

namespace dlscale::trainer {

/// Returns a loader whose batches have the requested number of samples but no data. The input has
/// the shape samples x 0.
std::unique_ptr<Loader> make_null_loader();

}  // namespace dlscale::trainer
