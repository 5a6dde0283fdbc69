// SPDX-License-Identifier: Apache-2.0
// Evaluation of the model on the whole test set: loss, accuracy and the metrics of its task.
#pragma once

#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Evaluates the model on the test set. Every test sample counts exactly once, on a
/// single rank. The caller fills in the field `epoch` of the result. Returns nullopt when any rank
/// was requested to stop during the evaluation. With several ranks that each have a replica of the
/// model, the result also contains the loss, the accuracy and the time of each rank.
std::optional<contract::EvalRecord> evaluate(TrainerParts& parts, CollectiveQueue& queue,
                                             const base::Clock& clock, const StopRequested& told);

}  // namespace dlscale::trainer
