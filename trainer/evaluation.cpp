// SPDX-License-Identifier: Apache-2.0
#include "trainer/evaluation.hpp"

#include <torch/torch.h>

#include <array>

#include "trainer/data/batch.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kBatch = 256;

/// As doubles, exact up to 2^53, so that one all-reduce takes them with the loss.
struct Tally {
  double samples = 0;
  double correct = 0;
  double loss_sum = 0;
  double broken_off = 0;
};

std::int64_t rounded_up(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

/// Whether any rank is told to stop: predictions are collective, so all break off or none.
bool any_is_told(CollectiveQueue& queue, const ToldToStop& told) {
  std::int64_t answer = told() ? 1 : 0;
  queue.all_reduce({&answer, 1, ElementType::int64}, ReduceOp::max)->wait();
  return answer != 0;
}

/// Every rank predicts equally often, by the largest share; one whose share is used up predicts a
/// sample that it does not count.
Tally count_share(TrainerParts& parts, CollectiveQueue& queue, const ToldToStop& told) {
  const c10::InferenceMode no_gradients;
  const c10::Device device = parts.device->torch_device();
  const std::int64_t samples = parts.dataset->test.size();
  const std::int64_t rounds = rounded_up(rounded_up(samples, parts.share.count), kBatch);
  Tally counts;
  parts.test_loader->start(evaluation_share(samples, parts.share.index, parts.share.count), kBatch);
  for (std::int64_t round = 0; round < rounds; ++round) {
    if (any_is_told(queue, told)) {
      counts.broken_off = 1;
      break;
    }
    Batch batch = parts.test_loader->next();
    const bool is_counted = batch.size() > 0;
    if (!is_counted) {
      parts.test_loader->start({0}, 1);
      batch = parts.test_loader->next();
    }
    at::Tensor output = parts.style->predict(batch.input.to(device));
    if (!is_counted || !output.defined()) continue;
    if (output.scalar_type() != at::kDouble) output = output.to(at::kFloat);
    const at::Tensor target = batch.target.to(device);
    counts.samples += static_cast<double>(batch.size());
    counts.correct += output.argmax(1).eq(target).sum().item<double>();
    counts.loss_sum +=
        at::cross_entropy_loss(output, target, {}, at::Reduction::Sum).item<double>();
  }
  return counts;
}

}  // namespace

std::optional<contract::EvalRecord> evaluate(TrainerParts& parts, CollectiveQueue& queue,
                                             const base::Clock& clock, const ToldToStop& told) {
  const double start_s = clock.steady_s();
  parts.style->set_training(false);
  Tally counts = count_share(parts, queue, told);
  queue.all_reduce({&counts, sizeof(Tally) / sizeof(double), ElementType::float64}, ReduceOp::sum)
      ->wait();
  if (counts.broken_off > 0) return std::nullopt;
  contract::EvalRecord record;
  record.samples = static_cast<std::int64_t>(counts.samples);
  record.correct = static_cast<std::int64_t>(counts.correct);
  record.accuracy = counts.correct / counts.samples;
  record.loss = counts.loss_sum / counts.samples;
  record.wall_s = clock.steady_s() - start_s;
  record.time = clock.unix_s();
  return record;
}

}  // namespace dlscale::trainer
