// SPDX-License-Identifier: Apache-2.0
// Classification task with one class per sample: cross-entropy loss, top-1 and top-5 accuracy.
#include <torch/types.h>

#include "trainer/optim/loss.hpp"
#include "trainer/tasks/task.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kTop = 5;  ///< k of the top-k accuracy, which needs more than k classes

/// Indices of the sums that count_classification() returns for a batch.
enum ClassificationSum { kLoss, kCorrect, kInTop, kHasTop, kSums };

at::Tensor correct_classes(const at::Tensor& scores, const at::Tensor& target) {
  return scores.argmax(1).eq(target).sum();
}

std::vector<double> count_classification(const at::Tensor& scores, const at::Tensor& target) {
  std::vector<double> sums(kSums);
  sums[kLoss] = at::cross_entropy_loss(scores, target, {}, at::Reduction::Sum).item<double>();
  sums[kCorrect] = correct_classes(scores, target).item<double>();
  if (scores.size(1) <= kTop) return sums;
  const at::Tensor top = std::get<1>(scores.topk(kTop, 1));
  sums[kInTop] = top.eq(target.unsqueeze(1)).sum().item<double>();
  sums[kHasTop] = static_cast<double>(target.size(0));
  return sums;
}

void conclude_classification(const std::vector<double>& sums, contract::EvalRecord& record) {
  const auto samples = static_cast<double>(record.samples);
  record.loss = sums[kLoss] / samples;
  record.correct = static_cast<std::int64_t>(sums[kCorrect]);
  record.accuracy = sums[kCorrect] / samples;
  if (sums[kHasTop] > 0) record.metrics["top5_accuracy"] = sums[kInTop] / sums[kHasTop];
}

}  // namespace

extern const TaskEntry classification_entry;
const TaskEntry classification_entry{.name = "classification",
                                     .summary = "assigns one class to each sample",
                                     .loss = cross_entropy,
                                     .count = count_classification,
                                     .counts = kSums,
                                     .correct = correct_classes,
                                     .conclude = conclude_classification,
                                     .headline = "accuracy"};

}  // namespace dlscale::trainer
