// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/stage_plan.hpp"

#include <algorithm>
#include <limits>

namespace dlscale::trainer {

// best[s][n] is the cost of the most expensive stage in the best division of the first n blocks
// into s stages.
std::vector<std::size_t> cut_into_stages(const std::vector<double>& costs, std::size_t stages) {
  const std::size_t blocks = costs.size();
  std::vector<double> before(blocks + 1, 0);
  for (std::size_t i = 0; i < blocks; ++i) before[i + 1] = before[i] + costs[i];
  const double never = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> best(stages + 1, std::vector<double>(blocks + 1, never));
  std::vector<std::vector<std::size_t>> cut(stages + 1, std::vector<std::size_t>(blocks + 1, 0));
  best[0][0] = 0;
  for (std::size_t s = 1; s <= stages; ++s) {
    for (std::size_t n = s; n <= blocks; ++n) {
      for (std::size_t first = s - 1; first < n; ++first) {
        const double dearest = std::max(best[s - 1][first], before[n] - before[first]);
        if (dearest < best[s][n]) {
          best[s][n] = dearest;
          cut[s][n] = first;
        }
      }
    }
  }
  std::vector<std::size_t> places(stages + 1, blocks);
  for (std::size_t s = stages; s > 0; --s) places[s - 1] = cut[s][places[s]];
  return places;
}

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
