// SPDX-License-Identifier: Apache-2.0
// Loader for ranks that receive no samples of their own from the framework style.
#pragma once

#include <memory>

#include "trainer/data/loader.hpp"

namespace dlscale::trainer {

/// Returns a loader whose batches have the right number of samples but no data. The input has the
/// shape samples x 0.
std::unique_ptr<Loader> make_null_loader();

}  // namespace dlscale::trainer
