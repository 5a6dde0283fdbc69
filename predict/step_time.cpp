// SPDX-License-Identifier: Apache-2.0
#include "predict/step_time.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::predict {
namespace {

/// Nothing hides it.
Seconds after_backward(const contract::ModelCard& card, Agreement agreement,
                       const AllReduceCost& cost) {
  if (agreement == Agreement::at_once) {
    return cost(kSingle * static_cast<double>(card.parameters));
  }
  Seconds sum;
  for (const contract::LayerCard& layer : card.layers) {
    if (layer.parameters == 0) continue;
    sum += cost(kSingle * static_cast<double>(layer.parameters));
    // Beside the weights, biases: they cost a latency each.
    sum += cost(Bytes{}) * std::max(0, layer.parameter_tensors - 1);
  }
  return sum;
}

}  // namespace

Seconds straggling(Seconds deviation, int ranks) {
  return ranks < 2 ? Seconds{} : deviation * std::sqrt(2 * std::log(ranks));
}

StepTime step_time(const contract::ModelCard& card, const ComputeTimes& times, int ranks,
                   const AllReduceCost& cost, const StepSetting& setting) {
  const double passes = setting.passes;
  StepTime step{.forward = times.forward() * passes,
                .backward = times.backward() * passes,
                .optimizer = times.optimizer};
  if (ranks > 1) {
    const AllReduceCost scaled = [&](Bytes message) { return cost(message) * setting.volume; };
    if (setting.agreement == Agreement::buckets) {
      const Overlap together =
          overlap(gradient_buckets(card, times, setting.first_bucket, setting.bucket),
                  times.backward(), scaled);
      step.communication = together.total;
      step.exposed_comm = std::max(together.exposed, together.total * (1 - setting.hidden_most));
    } else {
      step.communication = step.exposed_comm = after_backward(card, setting.agreement, scaled);
    }
  }
  step.straggling = straggling(setting.rank_deviation, ranks);
  const Seconds rest = step.total();
  step.load_wait = setting.wait + std::max(Seconds{}, setting.load - rest);
  const Seconds computing = times.spent(Bound::compute) * passes;
  const Seconds moving = times.spent(Bound::memory) * passes + times.optimizer;
  step.bound = computing > moving ? Bound::compute : Bound::memory;
  if (step.exposed_comm > computing + moving) step.bound = Bound::communication;
  return step;
}

}  // namespace dlscale::predict
