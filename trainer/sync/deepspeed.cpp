// SPDX-License-Identifier: Apache-2.0
// Framework style "deepspeed", which implements DeepSpeed's ZeRO: optimizer state, gradients and
// parameters are partitioned over the ranks.
#include <utility>

#include "trainer/sync/gradient_sync.hpp"
#include "trainer/sync/zero_optimizer_partition.hpp"
#include "trainer/sync/zero_parameter_partition.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<GradientSync> make_stage(const SyncContext& context) {
  switch (context.options.zero_stage) {
    case 0:
      return make_bucketed_all_reduce(context);
    case 1:
    case 2:
      return make_optimizer_partition(context);
    default:
      return make_parameter_partition(context);
  }
}

std::unique_ptr<GradientSync> make_deepspeed(const SyncContext& context) {
  auto stage = make_stage(context);
  if (!context.options.offload_optimizer || context.options.zero_stage == 0) return stage;
  return with_host_optimizer(std::move(stage), context.clock);
}

}  // namespace

extern const SyncEntry deepspeed_entry;
const SyncEntry deepspeed_entry{
    .name = "deepspeed",
    .summary = "DeepSpeed's ZeRO: each rank keeps a part of the optimizer state and the gradients",
    .make = make_deepspeed};

}  // namespace dlscale::trainer
