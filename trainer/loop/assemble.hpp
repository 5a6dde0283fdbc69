// SPDX-License-Identifier: Apache-2.0
// Construction of all parts of a run from its description.
//
// assemble.cpp is the only file that uses all families of parts, such as models, optimizers and
// loaders.
#pragma once

#include "base/clock.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Creates every part of the run. Afterwards the parameters are the same on all
/// ranks, because they are copied from rank 0. If a part cannot be created on one rank, for example
/// because the data set is missing on the node of this rank, all ranks throw SharedError.
/// `local_rank` is the number of this rank on its node.
TrainerParts assemble(const contract::RunSpec& spec, int local_rank, CollectiveQueue& queue,
                      const base::Clock& clock);

}  // namespace dlscale::trainer
