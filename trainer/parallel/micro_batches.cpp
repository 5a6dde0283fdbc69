// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/micro_batches.hpp"

#include <torch/types.h>

#include "trainer/data/batch_part.hpp"

namespace dlscale::trainer {

Batch MicroBatches::part(const Batch& batch, int number) const {
  const BatchPart part = part_of_batch(batch.size(), number, count_);
  return {batch.input.narrow(0, part.first, part.count),
          batch.target.narrow(0, part.first, part.count)};
}

at::Tensor MicroBatches::weighted(const at::Tensor& loss, std::int64_t samples) const {
  if (weight_of_sample_ > 0) return loss * (weight_of_sample_ * static_cast<double>(samples));
  return count_ > 1 ? loss / count_ : loss;
}

}  // namespace dlscale::trainer
