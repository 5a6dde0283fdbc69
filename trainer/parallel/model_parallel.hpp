// SPDX-License-Identifier: Apache-2.0
// Parallel styles that divide the blocks of a model among several ranks: layer-wise model
// parallelism, pipeline parallelism, and data parallelism between several pipelines.
#pragma once

#include <memory>
#include <string>

#include "trainer/parallel/parallel_style.hpp"

namespace dlscale::trainer {

// Division of a model's blocks among ranks. These declarations are private to parallel/*.cpp.

/// Division of the ranks of a run among model replicas and stages. Rank r holds stage r % stages of
/// replica r / stages, so the ranks of a replica have consecutive numbers. Ranks that hold the same
/// stage synchronise their gradients with the ddp style.
struct ModelDivision {
  int stages = 1;
  int micro_batches = 1;  ///< number of micro-batches into which a replica divides its batch
  std::string schedule = "1f1b";  ///< schedule name for pipeline_schedule()
};

/// **Collective.** Creates the parallel style for `division`. Throws base::RunError
/// (contract::kExitBadRunDescription) when the ranks, the blocks of the model or the samples of a
/// batch cannot be divided as `division` requires.
std::unique_ptr<ParallelStyle> make_model_parallel(StyleContext context,
                                                   const ModelDivision& division);

/// Returns the data share of `rank` in a run in which each model replica has `stages` ranks.
DataShare share_of_replica(const contract::RunSpec& spec, int rank, int stages);

/// Throws base::RunError unless framework_options.model_parallel_size equals the number of ranks or
/// has its default value 1.
void require_one_replica(const contract::RunSpec& spec);

}  // namespace dlscale::trainer
