// SPDX-License-Identifier: Apache-2.0
// Construction of all parts of a run from its description.
//
// Only this file knows every family of parts.
#pragma once

#include "base/clock.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Creates every part of the run. Afterwards all ranks hold the parameters of rank
/// 0. All ranks throw SharedError when a part fails on one rank, for example because data is
/// missing on its node. `local_rank` is the number of this rank on its node.
TrainerParts assemble(const contract::RunSpec& spec, int local_rank, CollectiveQueue& queue,
                      const base::Clock& clock);

}  // namespace dlscale::trainer
