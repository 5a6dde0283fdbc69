// SPDX-License-Identifier: Apache-2.0
// Evaluation of the model on the whole test set: loss, accuracy and the metrics of its task.
#pragma once

#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Evaluates the model on the test set. Every test sample counts exactly once, on a
/// single rank. The caller fills in the field `epoch` of the result. Returns nullopt when any rank
/// was requested to stop during the evaluation.
std::optional<contract::EvalRecord> evaluate(TrainerParts& parts, CollectiveQueue& queue,
                                             const base::Clock& clock, const StopRequested& told);

}  // namespace dlscale::trainer
