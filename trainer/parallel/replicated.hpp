// SPDX-License-Identifier: Apache-2.0
// Selection of the parallel style for a run's framework. The style comes from style_table() if the
// table lists the framework. Otherwise every rank has a replica of the model and trains the replica
// on its own part of the batch.
#pragma once

#include <memory>

#include "trainer/parallel/parallel_style.hpp"

namespace dlscale::trainer {

/// Returns the part of each global batch that `rank` works on.
DataShare share_of(const contract::RunSpec& spec, int rank);

/// **Collective.** Creates the style for the run's framework, as StyleEntry::make does. If
/// style_table() does not list the framework, the framework is the name of the GradientSync that
/// synchronises the replicas.
std::unique_ptr<ParallelStyle> make_style(StyleContext context);

}  // namespace dlscale::trainer
