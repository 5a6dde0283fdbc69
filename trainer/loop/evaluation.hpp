// SPDX-License-Identifier: Apache-2.0
// What the model makes of the whole test set: loss, accuracy and the metrics of its task.
#pragma once

#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Every test sample is counted once, by one rank; `epoch` is left to the caller.
/// Nothing when any rank was told to stop meanwhile.
std::optional<contract::EvalRecord> evaluate(TrainerParts& parts, CollectiveQueue& queue,
                                             const base::Clock& clock, const ToldToStop& told);

}  // namespace dlscale::trainer
