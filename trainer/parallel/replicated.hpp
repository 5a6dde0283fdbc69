// SPDX-License-Identifier: Apache-2.0
// The style that a run's framework names: one of the table, or every rank has a replica of the
// model and trains it on its own part of the batch.
#pragma once

#include <memory>

#include "trainer/parallel/parallel_style.hpp"

namespace dlscale::trainer {

/// Which part of each global batch a rank of the run works on.
DataShare share_of(const contract::RunSpec& spec, int rank);

/// **Collective.** As StyleEntry::make; of no style of the table the framework names the way in
/// which replicas agree.
std::unique_ptr<ParallelStyle> make_style(StyleContext context);

}  // namespace dlscale::trainer
