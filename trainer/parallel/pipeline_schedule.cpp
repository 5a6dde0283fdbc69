// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/pipeline_schedule.hpp"

#include <algorithm>

namespace dlscale::trainer {

std::vector<PipelineAction> pipeline_schedule(std::string_view name, int stage, int stages,
                                              int micro_batches) {
  const int ahead = name == "gpipe" ? micro_batches : std::min(stages - 1 - stage, micro_batches);
  std::vector<PipelineAction> actions;
  for (int i = 0; i < ahead; ++i) actions.push_back({PipelineAction::forward, i});
  for (int i = 0; i < micro_batches; ++i) {
    if (ahead + i < micro_batches) actions.push_back({PipelineAction::forward, ahead + i});
    actions.push_back({PipelineAction::backward, i});
  }
  return actions;
}

}  // namespace dlscale::trainer
