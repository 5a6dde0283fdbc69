// SPDX-License-Identifier: Apache-2.0
#include "predict/step_time.hpp"

#include <algorithm>
#include <string>

namespace dlscale::predict {

std::vector<Bucket> gradient_buckets(const contract::ModelCard& card, const ComputeTimes& times,
                                     Bytes first, Bytes others) {
  const Bytes number = number_width(card.precision);
  std::vector<Bucket> buckets;
  Bucket open;
  Seconds now;
  for (std::size_t i = card.layers.size(); i-- > 0;) {
    now += times.layers[i].backward.time;
    if (card.layers[i].parameters == 0) continue;
    open.size += number * static_cast<double>(card.layers[i].parameters);
    open.ready = now;
    if (open.size < (buckets.empty() ? first : others)) continue;
    buckets.push_back(open);
    open = {};
  }
  if (open.size.value > 0) buckets.push_back(open);
  return buckets;
}

std::vector<Bucket> block_buckets(const contract::ModelCard& card, const ComputeTimes& times) {
  const Bytes number = number_width(card.precision);
  std::vector<Bucket> buckets;
  std::string block;
  Seconds now;
  for (std::size_t i = card.layers.size(); i-- > 0;) {
    const contract::LayerCard& layer = card.layers[i];
    now += times.layers[i].backward.time;
    if (layer.parameters == 0) continue;
    if (buckets.empty() || layer.block != block) buckets.emplace_back();
    block = layer.block;
    buckets.back().size += number * static_cast<double>(layer.parameters);
    buckets.back().ready = now;
  }
  return buckets;
}

Overlap overlap(const std::vector<Bucket>& buckets, Seconds backward,
                const std::function<Seconds(Bytes)>& cost) {
  Overlap result;
  Seconds finished;
  for (const Bucket& bucket : buckets) {
    const Seconds needed = cost(bucket.size);
    finished = std::max(finished, bucket.ready) + needed;
    result.total += needed;
  }
  if (finished > backward) result.exposed = finished - backward;
  return result;
}

namespace {

Seconds one_by_one(const contract::ModelCard& card, const AllReduceCost& cost) {
  const Bytes number = number_width(card.precision);
  Seconds sum;
  for (const contract::LayerCard& layer : card.layers) {
    if (layer.parameters == 0) continue;
    sum += cost(number * static_cast<double>(layer.parameters));
    // Each further tensor of a layer, such as the bias, adds the cost of an empty message.
    sum += cost(Bytes{}) * std::max(0, layer.parameter_tensors - 1);
  }
  return sum;
}

/// Returns the time of one exchange of all gradients. `cost` takes the bytes of gradients before
/// compression and returns the time to send them.
Overlap exchange(const contract::ModelCard& card, const ComputeTimes& times,
                 const AllReduceCost& cost, const StepSetting& setting) {
  if (setting.agreement == Agreement::each_gradient) {
    const Seconds all = one_by_one(card, cost);
    return {all, all};
  }
  Overlap together = overlap(buckets_of(card, times, setting), times.backward(), cost);
  if (setting.agreement == Agreement::at_once) together.exposed = together.total;
  return together;
}

/// Returns the communication of one pass of Agreement::central. The first device sends parameters,
/// buffers, samples and the gradients of outputs. It collects outputs and gradients.
Seconds central_pass(const contract::ModelCard& card, int ranks, const AllReduceCost& cost,
                     const StepSetting& setting) {
  const double others = ranks - 1;
  const AllReduceCost to_all = [&](Bytes message) {
    if (!setting.sends_in_parallel) return cost(message) * others;
    // Messages to several devices share the link of the first device, but not their latency.
    const Seconds latency = cost(Bytes{});
    return latency + (cost(message) - latency) * others;
  };
  const Bytes number = number_width(card.precision);
  double inputs = 1;
  for (const std::int64_t side : card.input) inputs *= static_cast<double>(side);
  const Bytes samples = number * (inputs * setting.batch);
  const Bytes outputs = number * (card.classes * setting.batch);
  const Bytes untrained{card.parameter_bytes + card.buffer_bytes -
                        number.value * static_cast<double>(card.parameters)};
  Seconds sum = one_by_one(card, to_all) + to_all(samples) + cost(outputs) * others;
  if (untrained.value > 0) sum += to_all(untrained);
  if (setting.forward_only) return sum;
  return sum + to_all(outputs) + one_by_one(card, cost) * others;
}

/// Computes the communication of a step of several ranks and stores it in `step`.
void communicate(StepTime& step, const contract::ModelCard& card, const ComputeTimes& times,
                 int ranks, const AllReduceCost& cost, const StepSetting& setting) {
  if (setting.agreement == Agreement::central) {
    step.communication = central_pass(card, ranks, cost, setting) * setting.passes;
    step.exposed_comm = step.communication;
    return;
  }
  if (setting.forward_only) return;  // replicas exchange nothing
  const AllReduceCost travelling = [&](Bytes message) {
    return cost(message * setting.compression) * setting.volume;
  };
  const Overlap once = exchange(card, times, travelling, setting);
  const int exchanges = setting.every_pass ? setting.passes : 1;
  Seconds after;  // time to gather parameters, which no computation hides
  if (setting.after_step > 0) {
    const double parameters = static_cast<double>(card.parameters);
    after = cost(number_width(card.precision) * parameters) * setting.after_step;
  }
  step.communication = once.total * exchanges + after;
  step.exposed_comm = std::max(once.exposed * exchanges + after + setting.cycle,
                               step.communication * (1 - setting.hidden_most));
}

}  // namespace

std::vector<Bucket> buckets_of(const contract::ModelCard& card, const ComputeTimes& times,
                               const StepSetting& setting) {
  return setting.by_block ? block_buckets(card, times)
                          : gradient_buckets(card, times, setting.first_bucket, setting.bucket);
}

namespace {

/// Parts of the names of operators that profiles of runs count as computation.
constexpr std::string_view kMainKernels[] = {"conv", "mm", "linear", "norm", "pool", "softmax"};

Seconds main_kernels_of(const contract::ModelCard& card, const ComputeTimes& times,
                        bool forward_only) {
  Seconds sum;
  for (std::size_t i = 0; i < std::min(times.layers.size(), card.layers.size()); ++i) {
    const std::string& kind = card.layers[i].kind;
    const bool is_main =
        std::any_of(std::begin(kMainKernels), std::end(kMainKernels),
                    [&](std::string_view word) { return kind.find(word) != std::string::npos; });
    if (!is_main) continue;
    sum += times.layers[i].forward.time;
    if (!forward_only) sum += times.layers[i].backward.time;
  }
  return sum;
}

}  // namespace

StepTime step_time(const contract::ModelCard& card, const ComputeTimes& times, int ranks,
                   const AllReduceCost& cost, const StepSetting& setting) {
  const double passes = setting.passes;
  StepTime step{.load_wait = setting.wait,
                .forward = times.forward() * passes,
                .main_kernels = main_kernels_of(card, times, setting.forward_only) * passes};
  if (!setting.forward_only) {
    step.backward = times.backward() * passes;
    step.optimizer = times.optimizer;
  }
  if (ranks > 1) {
    communicate(step, card, times, ranks, cost, setting);
    step.slowest_wait = setting.slowest_wait;
  }
  const Seconds computing = times.spent(Bound::compute, setting.forward_only) * passes;
  const Seconds moving = step.computing() - computing;
  step.bound = computing > moving ? Bound::compute : Bound::memory;
  if (step.exposed_comm > computing + moving) step.bound = Bound::communication;
  return step;
}

}  // namespace dlscale::predict
