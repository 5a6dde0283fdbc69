// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/epoch_results.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::analysis {
namespace {

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Returns the time, or an empty value if it is not recorded. Some logs of other programs contain
/// no times.
std::optional<double> recorded_time(double seconds) {
  return seconds > 0 ? finite(seconds) : std::nullopt;
}

}  // namespace

EpochResults epoch_results(const RunRow& run, int epoch) {
  EpochResults results;
  const auto trained = std::ranges::find(run.epochs, epoch, &EpochRow::epoch);
  if (trained != run.epochs.end()) {
    results.train_loss = finite(trained->train_loss);
    results.train_accuracy = trained->train_accuracy;
    results.train_s = recorded_time(trained->wall_s);
  }
  const auto evaluated = std::ranges::find(run.evals, epoch, &EvalRow::epoch);
  if (evaluated != run.evals.end()) {
    results.test_loss = finite(evaluated->loss);
    if (has_accuracy(run)) results.test_accuracy = finite(evaluated->accuracy);
    results.test_s = recorded_time(evaluated->wall_s);
  }
  return results;
}

std::set<int> epochs_of(const RunRow& run) {
  std::set<int> epochs;
  for (const EpochRow& row : run.epochs) epochs.insert(row.epoch);
  for (const EvalRow& row : run.evals) {
    if (row.epoch >= 0) epochs.insert(row.epoch);
  }
  return epochs;
}

bool has_epochs(const RunRow& run) {
  return completed(run) && !epochs_of(run).empty();
}

namespace {

/// Returns the results of the ranks in the last recorded epoch that `counts` accepts, and in the
/// evaluation `eval`. Both may be missing.
template <class Counts>
std::optional<RankResults> rank_results(const RunRow& run, const Counts& counts,
                                        const EvalRow* eval) {
  const RankEpoch* last = nullptr;
  for (const LaunchRanks& launch : run.ranks) {
    for (const RankEpoch& epoch : launch.epochs) {
      if (counts(epoch) && (last == nullptr || epoch.epoch >= last->epoch)) last = &epoch;
    }
  }
  RankResults results;
  if (last != nullptr) {
    results.steps = last->steps;
    results.work_s = last->work_s;
    results.train_loss = last->train_loss;
    results.train_accuracy = last->train_accuracy;
  }
  if (eval != nullptr) {
    results.test_loss = eval->rank_loss;
    if (has_accuracy(run)) results.test_accuracy = eval->rank_accuracy;
    results.test_s = eval->rank_wall_s;
  }
  const bool any = results.work_s.size() > 1 || results.test_loss.size() > 1;
  return any ? std::optional(std::move(results)) : std::nullopt;
}

}  // namespace

std::optional<RankResults> last_ranks(const RunRow& run) {
  return rank_results(
      run, [](const RankEpoch&) { return true; }, run.evals.empty() ? nullptr : &run.evals.back());
}

std::optional<RankResults> ranks_in_epoch(const RunRow& run, int epoch) {
  const auto eval = std::ranges::find(run.evals, epoch, &EvalRow::epoch);
  return rank_results(
      run, [&](const RankEpoch& ranks) { return ranks.epoch == epoch; },
      eval == run.evals.end() ? nullptr : &*eval);
}

std::map<std::string, double> counters_of(const RunRow& run) {
  std::map<std::string, double> counters = run.counters;
  if (!tells_bytes_sent(run) || !run.steps.tells_steps || run.steps.steps <= 0) return counters;
  const auto steps = static_cast<double>(run.steps.steps);
  counters["bytes_sent"] = run.steps.bytes_sent / steps;
  counters["collectives"] = run.steps.collectives / steps;
  return counters;
}

std::optional<KernelShares> kernel_shares(const std::vector<const RunRow*>& repeats) {
  KernelShares shares;
  double kernel_s = 0, wall_s = 0, busy_s = 0;
  for (const RunRow* run : repeats) {
    bool any = false;
    for (const ProfileRow& profile : run->profiles) {
      const double shares_sum =
          profile.communication + profile.io + profile.computation + profile.other;
      if (!(profile.kernel_s > 0) || !std::isfinite(shares_sum) || profile.steps <= 0) continue;
      any = true;
      shares.steps += profile.steps;
      kernel_s += profile.kernel_s;
      shares.communication += profile.communication * profile.kernel_s;
      shares.io += profile.io * profile.kernel_s;
      shares.computation += profile.computation * profile.kernel_s;
      shares.other += profile.other * profile.kernel_s;
      if (!(profile.wall_s > 0) || !std::isfinite(profile.cpu_occupancy)) continue;
      wall_s += profile.wall_s;
      busy_s += profile.cpu_occupancy * profile.wall_s;
    }
    shares.n += any ? 1 : 0;
  }
  if (shares.n == 0) return std::nullopt;
  const std::int64_t steps_per_epoch = repeats.front()->size.steps_per_epoch;
  if (steps_per_epoch > 0) {
    shares.io_s_per_epoch =
        shares.io / static_cast<double>(shares.steps) * static_cast<double>(steps_per_epoch);
  }
  for (double* share : {&shares.communication, &shares.io, &shares.computation, &shares.other}) {
    *share /= kernel_s;
  }
  if (wall_s > 0) shares.cpu_occupancy = busy_s / wall_s;
  return shares;
}

}  // namespace dlscale::analysis
