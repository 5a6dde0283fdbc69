// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/evaluation.hpp"

#include <torch/types.h>

#include <vector>

#include "trainer/data/device_copy.hpp"

namespace dlscale::trainer {
namespace {

/// Sums over the test samples of a rank, such as the loss and the number of correct predictions.
/// Counts are also stored as doubles. A double represents whole numbers up to 2^53 exactly. A
/// single all-reduce can therefore add all sums over the ranks.
class Tally {
 public:
  explicit Tally(const TaskEntry& task) : task_(task), sums_(kOwn + task.counts) {}

  void add(const at::Tensor& output, const at::Tensor& target) {
    sums_[kSamples] += static_cast<double>(target.size(0));
    const std::vector<double> counts = task_.count(output, target);
    for (std::size_t i = 0; i < counts.size(); ++i) sums_[kOwn + i] += counts[i];
  }
  void break_off() { sums_[kBrokenOff] = 1; }
  bool broken_off() const { return sums_[kBrokenOff] > 0; }

  /// **Collective.** Replaces the sums of this rank by the sums over all ranks.
  void add_other_ranks(CollectiveQueue& queue) {
    const auto size = static_cast<std::int64_t>(sums_.size());
    queue.all_reduce({sums_.data(), size, ElementType::float64}, ReduceOp::sum)->wait();
  }
  contract::EvalRecord record() const {
    contract::EvalRecord record;
    record.samples = static_cast<std::int64_t>(sums_[kSamples]);
    task_.conclude({sums_.begin() + kOwn, sums_.end()}, record);
    return record;
  }

 private:
  enum { kSamples, kBrokenOff, kOwn };
  const TaskEntry& task_;
  std::vector<double> sums_;
};

std::int64_t rounded_up(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

/// Evaluates this rank's share of the test set and returns its sums. predict() is collective, so
/// every rank must call predict() as often as the rank with the largest share. A rank that has no
/// samples left predicts sample 0 again and ignores the result.
Tally count_share(TrainerParts& parts, CollectiveQueue& queue, const StopRequested& told) {
  const c10::InferenceMode no_gradients;
  const DeviceCopy device_copy(parts.device->torch_device(), *parts.dataset, parts.precision);
  const std::int64_t samples = parts.dataset->test.size();
  const std::int64_t at_once = parts.evaluation_batch;
  const std::int64_t rounds = rounded_up(rounded_up(samples, parts.share.count), at_once);
  Tally tally(*parts.task);
  parts.test_loader->start(
      {evaluation_share(samples, parts.share.index, parts.share.count), at_once});
  for (std::int64_t round = 0; round < rounds; ++round) {
    if (any_stop_requested(queue, told)) {
      tally.break_off();
      break;
    }
    Batch batch = parts.test_loader->next();
    const bool is_counted = batch.size() > 0;
    if (!is_counted) {
      parts.test_loader->start({{0}, 1});
      batch = parts.test_loader->next();
    }
    batch = device_copy(batch);
    at::Tensor output = parts.style->predict(batch.input);
    if (!is_counted || !output.defined()) continue;
    if (output.scalar_type() != at::kDouble) output = output.to(at::kFloat);
    tally.add(output, batch.target);
  }
  return tally;
}

}  // namespace

std::optional<contract::EvalRecord> evaluate(TrainerParts& parts, CollectiveQueue& queue,
                                             const base::Clock& clock, const StopRequested& told) {
  const double start_s = clock.steady_s();
  parts.style->set_training(false);
  Tally tally = count_share(parts, queue, told);
  tally.add_other_ranks(queue);
  if (tally.broken_off()) return std::nullopt;
  contract::EvalRecord record = tally.record();
  record.wall_s = clock.steady_s() - start_s;
  record.time = clock.unix_s();
  return record;
}

}  // namespace dlscale::trainer
