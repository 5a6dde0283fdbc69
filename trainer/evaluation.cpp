// SPDX-License-Identifier: Apache-2.0
#include "trainer/evaluation.hpp"

#include <torch/torch.h>

#include <array>

#include "trainer/data/batch.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kBatch = 256;

/// Counts as doubles, exact up to 2^53, so that one all-reduce takes them with the loss.
struct Counts {
  double samples = 0;
  double correct = 0;
  double loss_sum = 0;
  double broken_off = 0;
};

Counts count_share(TrainerParts& parts, std::vector<std::int64_t> share, const ToldToStop& told) {
  const c10::InferenceMode no_gradients;
  const c10::Device device = parts.device->torch_device();
  Counts counts;
  parts.test_loader->start(std::move(share), kBatch);
  for (Batch batch = parts.test_loader->next(); batch.size() > 0;
       batch = parts.test_loader->next()) {
    if (told()) {
      counts.broken_off = 1;
      break;
    }
    const at::Tensor output = parts.style->predict(batch.input.to(device));
    if (!output.defined()) continue;
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
  Counts counts = count_share(
      parts, evaluation_share(parts.dataset->test.size(), parts.share.index, parts.share.count),
      told);
  queue.all_reduce({&counts, sizeof(Counts) / sizeof(double), ElementType::float64}, ReduceOp::sum)
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
