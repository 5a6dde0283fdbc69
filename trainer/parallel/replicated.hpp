// SPDX-License-Identifier: Apache-2.0
// Every rank has a replica of the model and trains it on its own part of the batch.
#pragma once

#include <memory>

#include "trainer/parallel/parallel_style.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {

/// **Collective.** The run's framework names the way in which replicas agree.
std::unique_ptr<ParallelStyle> make_replicated(StyleContext context, const SyncEntry& sync);

}  // namespace dlscale::trainer
