// SPDX-License-Identifier: Apache-2.0
// Selection of the style for a run's framework: a style from style_table(), or otherwise a replica
// of the model on every rank, where each replica trains on its own part of the batch.
#pragma once

#include <memory>

#include "trainer/parallel/parallel_style.hpp"

namespace dlscale::trainer {

/// Returns the part of each global batch that `rank` works on.
DataShare share_of(const contract::RunSpec& spec, int rank);

/// **Collective.** Creates the style for the run's framework, like StyleEntry::make. A framework
/// outside style_table() names the GradientSync that synchronises replicas.
std::unique_ptr<ParallelStyle> make_style(StyleContext context);

}  // namespace dlscale::trainer
