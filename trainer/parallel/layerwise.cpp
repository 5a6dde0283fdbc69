// SPDX-License-Identifier: Apache-2.0
// Layer-wise model parallelism: stages of one model over all ranks, which work one at a time.
#include "trainer/parallel/model_parallel.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<ParallelStyle> make_layerwise(StyleContext context) {
  require_one_replica(context.spec);
  const int stages = context.spec.gpus;
  return make_model_parallel(std::move(context), {.stages = stages});
}

DataShare share_layerwise(const contract::RunSpec& spec, int rank) {
  return share_of_replica(spec, rank, spec.gpus);
}

}  // namespace

extern const StyleEntry layerwise_entry;
const StyleEntry layerwise_entry{
    .name = "layerwise",
    .summary = "one model, its layers over all ranks, which work in turn",
    .make = make_layerwise,
    .share = share_layerwise};

}  // namespace dlscale::trainer
