// SPDX-License-Identifier: Apache-2.0
// Data and model parallelism: replicas whose layers lie over model_parallel_size ranks each.
#include "trainer/parallel/model_parallel.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<ParallelStyle> make_hybrid(StyleContext context) {
  const contract::FrameworkOptions& options = context.spec.framework_options;
  const ModelDivision division{options.model_parallel_size, options.micro_batches,
                               options.pipeline_schedule};
  return make_model_parallel(std::move(context), division);
}

DataShare share_hybrid(const contract::RunSpec& spec, int rank) {
  return share_of_replica(spec, rank, spec.framework_options.model_parallel_size);
}

}  // namespace

extern const StyleEntry hybrid_entry;
const StyleEntry hybrid_entry{
    .name = "hybrid",
    .summary = "replicas of a model whose layers lie over several ranks; ddp between replicas",
    .make = make_hybrid,
    .share = share_hybrid};

}  // namespace dlscale::trainer
