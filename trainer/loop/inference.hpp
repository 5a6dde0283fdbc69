// SPDX-License-Identifier: Apache-2.0
// Benchmark of inference, which runs only forward passes.
#pragma once

#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Measures the latency and throughput of forward passes and writes the record.
/// Every replica of the model processes batches with batch_per_gpu samples for each of its devices.
/// The samples come from the test set. When a replica reaches the end of its share of the test set,
/// it starts again from the beginning. The first batches are a warm-up and are not measured.
/// Returns the outcome TimedOut when any rank is requested to stop.
FitResult measure_inference(const contract::RunSpec& spec, TrainerParts& parts,
                            const TrainerTools& tools);

}  // namespace dlscale::trainer
