// SPDX-License-Identifier: Apache-2.0
// From a run's description to the parts it runs with: the only file that knows every family.
#pragma once

#include "base/clock.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Makes every part; afterwards all ranks hold rank 0's parameters. What fails on
/// one rank (data that its node lacks) is thrown on all, as SharedError.
/// `local_rank` is the rank's number on its node.
TrainerParts assemble(const contract::RunSpec& spec, int local_rank, CollectiveQueue& queue,
                      const base::Clock& clock);

}  // namespace dlscale::trainer
