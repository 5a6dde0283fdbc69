// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/evaluation.hpp"

#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "trainer/data/device_copy.hpp"
#include "trainer/record/spread.hpp"

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
  /// Adds the time in which the rank worked on a batch. `waits` is true if the rank also waited for
  /// other ranks in this time.
  void add_time(double seconds, bool waits) {
    sums_[kWork_s] += seconds;
    if (waits) sums_[kWaits] = 1;
  }

  /// **Collective.** Returns the sums of all ranks, in rank order.
  std::vector<Tally> of_all_ranks(CollectiveQueue& queue) const {
    const std::size_t size = sums_.size();
    std::vector<double> mine = sums_, all(size * static_cast<std::size_t>(queue.size()));
    const auto span = [](std::vector<double>& values) {
      return Span{values.data(), static_cast<std::int64_t>(values.size()), ElementType::float64};
    };
    queue.all_gather(span(mine), span(all))->wait();
    std::vector<Tally> ranks;
    for (auto first = all.begin(); first != all.end(); first += static_cast<std::ptrdiff_t>(size)) {
      ranks.emplace_back(task_);
      std::copy_n(first, size, ranks.back().sums_.begin());
    }
    return ranks;
  }
  void add(const Tally& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  }
  contract::EvalRecord record() const {
    contract::EvalRecord record;
    record.samples = static_cast<std::int64_t>(sums_[kSamples]);
    task_.conclude({sums_.begin() + kOwn, sums_.end()}, record);
    return record;
  }
  bool waits() const { return sums_[kWaits] > 0; }
  double work_s() const { return sums_[kWork_s]; }

 private:
  enum { kSamples, kBrokenOff, kWork_s, kWaits, kOwn };
  const TaskEntry& task_;
  std::vector<double> sums_;
};

std::int64_t rounded_up(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

/// Evaluates this rank's share of the test set and returns its sums. predict() is collective, so
/// every rank must call predict() as often as the rank with the largest share. A rank that has no
/// samples left predicts sample 0 again and ignores the result.
Tally count_share(TrainerParts& parts, CollectiveQueue& queue, const base::Clock& clock,
                  const StopRequested& told) {
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
    const double start_s = clock.steady_s();
    const std::int64_t collectives = queue.stats().collectives;
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
    tally.add_time(clock.steady_s() - start_s, queue.stats().collectives > collectives);
  }
  return tally;
}

/// Adds the results of each rank on its own share of the test set to `record`. The time of the
/// ranks is left out if they also waited for each other, as in stage 3 of ZeRO, which gathers
/// parameters.
void add_rank_results(contract::EvalRecord& record, const std::vector<Tally>& ranks,
                      bool has_accuracy) {
  bool waits = false;
  for (const Tally& rank : ranks) {
    const contract::EvalRecord own = rank.record();
    record.rank_loss.push_back(rounded(own.loss));
    if (has_accuracy) record.rank_accuracy.push_back(rounded(own.accuracy));
    record.rank_wall_s.push_back(rounded(rank.work_s()));
    waits = waits || rank.waits();
  }
  if (waits) record.rank_wall_s.clear();
}

}  // namespace

std::optional<contract::EvalRecord> evaluate(TrainerParts& parts, CollectiveQueue& queue,
                                             const base::Clock& clock, const StopRequested& told) {
  const double start_s = clock.steady_s();
  parts.style->set_training(false);
  const std::vector<Tally> ranks = count_share(parts, queue, clock, told).of_all_ranks(queue);
  Tally tally(*parts.task);
  for (const Tally& rank : ranks) tally.add(rank);
  if (tally.broken_off()) return std::nullopt;
  contract::EvalRecord record = tally.record();
  // Ranks that share a model or a batch have no results of their own.
  const bool each_has_share = parts.share.count == queue.size() && queue.size() > 1;
  if (each_has_share) add_rank_results(record, ranks, !parts.task->target_is_input);
  record.wall_s = clock.steady_s() - start_s;
  record.time = clock.unix_s();
  return record;
}

}  // namespace dlscale::trainer
