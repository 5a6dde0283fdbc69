// SPDX-License-Identifier: Apache-2.0
// How fast a model answers: forward passes alone.
#pragma once

#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Every replica passes batches of batch_per_gpu samples a device through the
/// model, from the test set, again from its beginning where it is used up; the first ones are not
/// counted. Writes the record. Ends as TimedOut when any rank is told to stop.
FitResult measure_inference(const contract::RunSpec& spec, TrainerParts& parts,
                            const TrainerTools& tools);

}  // namespace dlscale::trainer
