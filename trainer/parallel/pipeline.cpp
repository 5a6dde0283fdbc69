// SPDX-License-Identifier: Apache-2.0
// Pipeline parallelism: stages of one model over all ranks, each at work on another micro-batch.
#include "trainer/parallel/model_parallel.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<ParallelStyle> make_pipeline(StyleContext context) {
  require_one_replica(context.spec);
  const contract::FrameworkOptions& options = context.spec.framework_options;
  const ModelDivision division{context.spec.gpus, options.micro_batches, options.pipeline_schedule};
  return make_model_parallel(std::move(context), division);
}

DataShare share_pipeline(const contract::RunSpec& spec, int rank) {
  return share_of_replica(spec, rank, spec.gpus);
}

}  // namespace

extern const StyleEntry pipeline_entry;
const StyleEntry pipeline_entry{
    .name = "pipeline",
    .summary = "one model, its layers over all ranks, which work on micro-batches (GPipe, 1F1B)",
    .make = make_pipeline,
    .share = share_pipeline};

}  // namespace dlscale::trainer
