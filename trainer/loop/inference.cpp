// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/inference.hpp"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trainer/data/batch_part.hpp"
#include "trainer/data/device_copy.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kWarmUp = 10;
constexpr std::int64_t kLeast = 100;  ///< minimum number of measured batches per replica

/// Number and size of the batches that one replica of the model processes.
struct Task {
  std::int64_t batch;        ///< number of samples per batch of this replica
  std::int64_t all_batches;  ///< number of samples per batch of all replicas together
  std::int64_t batches;      ///< number of batches after the warm-up, the same on all ranks
};

Task task_of(const contract::RunSpec& spec, const TrainerParts& parts) {
  const int replicas = parts.share.count;
  const std::int64_t all =
      spec.uneven_batch.empty() ? spec.batch_per_gpu * spec.gpus : spec.global_batch;
  const std::int64_t largest_share = (parts.dataset->test.size() + replicas - 1) / replicas;
  return {part_of_batch(all, parts.share.index, replicas).count, all,
          std::max(kLeast, largest_share / part_of_batch(all, 0, replicas).count)};
}

/// Returns the indices of the test samples in all batches of this replica, including the warm-up
/// batches.
std::vector<std::int64_t> samples_of(const Task& task, const TrainerParts& parts) {
  auto share = evaluation_share(parts.dataset->test.size(), parts.share.index, parts.share.count);
  if (share.empty()) share = {0};
  std::vector<std::int64_t> samples;
  for (std::int64_t i = 0; i < (kWarmUp + task.batches) * task.batch; ++i) {
    samples.push_back(share[static_cast<std::size_t>(i) % share.size()]);
  }
  return samples;
}

/// Measurements of one rank.
struct Passes {
  /// Latency of each measured batch in seconds. On a rank that receives no outputs, such as the
  /// first stage of a pipeline, all latencies are NaN.
  std::vector<double> latency_s;
  /// Part of each latency that the style spent on exchanging data, for styles that exchange data.
  /// NaN where the latency is NaN. Empty for other styles.
  std::vector<double> exchange_s;
  double wall_s = 0;  ///< seconds for all measured batches, including the loading of samples
  bool broken_off = false;
};

Passes pass(const Task& task, TrainerParts& parts, const TrainerTools& tools) {
  const c10::InferenceMode no_gradients;
  const DeviceCopy device_copy(parts.device->torch_device(), *parts.dataset, parts.precision);
  constexpr std::int64_t kBatchesBetweenQuestions = 10;
  Passes passes;
  parts.test_loader->start({samples_of(task, parts), task.batch});
  for (std::int64_t i = -kWarmUp; i < task.batches; ++i) {
    if (i % kBatchesBetweenQuestions == 0 &&
        any_stop_requested(tools.queue, tools.stop_requested)) {
      passes.broken_off = true;
      break;
    }
    const double begin_s = tools.clock.steady_s();
    const Batch batch = parts.test_loader->next();
    const double loaded_s = tools.clock.steady_s();
    parts.style->take_exchange_s();
    const at::Tensor output = parts.style->predict(device_copy(batch).input);
    parts.device->synchronize();
    const double end_s = tools.clock.steady_s();
    if (i < 0) continue;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    passes.latency_s.push_back(output.defined() ? end_s - loaded_s : kNone);
    if (const auto exchange_s = parts.style->take_exchange_s()) {
      passes.exchange_s.push_back(output.defined() ? *exchange_s : kNone);
    }
    passes.wall_s += end_s - begin_s;
  }
  return passes;
}

/// **Collective.** Returns the times, in seconds, of the measured batches of all replicas. Excludes
/// ranks whose times are NaN.
std::vector<double> times_of_all(std::vector<double> mine, CollectiveQueue& queue) {
  const auto count = static_cast<std::int64_t>(mine.size());
  std::vector<double> all(mine.size() * static_cast<std::size_t>(queue.size()));
  queue
      .all_gather({mine.data(), count, ElementType::float64},
                  {all.data(), count * queue.size(), ElementType::float64})
      ->wait();
  std::erase_if(all, [](double latency) { return std::isnan(latency); });
  return all;
}

}  // namespace

FitResult measure_inference(const contract::RunSpec& spec, TrainerParts& parts,
                            const TrainerTools& tools) {
  const Task task = task_of(spec, parts);
  parts.style->set_training(false);
  const Passes passes = pass(task, parts, tools);
  if (passes.broken_off) {
    return {contract::RunOutcome::TimedOut,
            "the time limit is near and not all batches are measured; give the job more "
            "time"};
  }
  const auto latencies = times_of_all(passes.latency_s, tools.queue);
  std::array<double, 2> most{passes.wall_s, parts.device->peak_memory_bytes()};
  tools.queue.all_reduce({most.data(), most.size(), ElementType::float64}, ReduceOp::max)->wait();
  contract::InferenceRecord record{
      .batch = spec.batch_per_gpu,
      .batches = static_cast<int>(task.batches),
      .time = tools.clock.unix_s(),
      .wall_s = most[0],
      .latency_s = spread(latencies),
      .samples_per_s = static_cast<double>(task.batches * task.all_batches) / most[0],
      .peak_memory_bytes = most[1]};
  if (!passes.exchange_s.empty()) {
    const auto exchanges = times_of_all(passes.exchange_s, tools.queue);
    std::vector<double> computations(latencies);
    for (std::size_t i = 0; i < exchanges.size(); ++i) computations[i] -= exchanges[i];
    record.communication_s = spread(exchanges);
    record.compute_s = spread(computations);
  }
  tools.writer.write(record);
  const std::string summary =
      fmt::format("{} batches of {}: median latency {:.4g} s, {:.0f} samples/s", record.batches,
                  record.batch, record.latency_s.p50, record.samples_per_s);
  tools.writer.say(summary);
  return {contract::RunOutcome::Completed, summary};
}

}  // namespace dlscale::trainer
