// SPDX-License-Identifier: Apache-2.0
// Models whose blocks lie on several ranks: layer-wise, as a pipeline, and with replicas of that.
#pragma once

#include <memory>
#include <string>

#include "trainer/parallel/parallel_style.hpp"

namespace dlscale::trainer {

// Private to parallel/*.cpp: a model whose blocks lie on several ranks, and replicas of it.

/// How ranks divide a model: rank r has stage r % stages of replica r / stages, so that the ranks
/// of a replica are neighbours. Replicas agree on gradients as ddp does, among the ranks that have
/// the same stage.
struct ModelDivision {
  int stages = 1;
  int micro_batches = 1;          ///< into which a replica's part of the batch is cut
  std::string schedule = "1f1b";  ///< of pipeline_schedule()
};

/// **Collective.** Throws base::RunError (contract::kExitBadRunDescription) when ranks, blocks or
/// samples cannot be divided so.
std::unique_ptr<ParallelStyle> make_model_parallel(StyleContext context,
                                                   const ModelDivision& division);

/// Of a run whose models have `stages` ranks.
DataShare share_of_replica(const contract::RunSpec& spec, int rank, int stages);

/// Throws unless framework_options.model_parallel_size is the number of ranks, or was not said.
void require_one_replica(const contract::RunSpec& spec);

}  // namespace dlscale::trainer
