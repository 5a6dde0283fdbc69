// SPDX-License-Identifier: Apache-2.0
// Benchmark of inference, which runs only forward passes.
#pragma once

#include "trainer/loop/trainer.hpp"

namespace dlscale::trainer {

/// **Collective.** Measures the latency and throughput of forward passes and writes the record.
/// Every replica passes batches of batch_per_gpu samples per device through the model. The samples
/// come from the test set and repeat from its beginning when they run out. The first batches are
/// not counted. Returns the outcome TimedOut when any rank is requested to stop.
FitResult measure_inference(const contract::RunSpec& spec, TrainerParts& parts,
                            const TrainerTools& tools);

}  // namespace dlscale::trainer
