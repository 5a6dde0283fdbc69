// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/finished_runs.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "predict/walltime.hpp"

namespace dlscale::planner {
namespace {

/// Returns whether an axis is left out of the key of a point. The run time does not depend on these
/// axes, except on `gpus`, for which throughput_at() converts the time.
bool is_left_out(const std::string& axis) {
  return axis == "gpus" || axis == "lr_schedule" || axis.starts_with("lr.");
}

std::string key_of(const std::map<std::string, std::string>& point) {
  std::string key;
  for (const auto& [axis, value] : point) {
    if (!is_left_out(axis)) key += axis + "=" + value + "\n";
  }
  return key;
}

}  // namespace

FinishedRuns::FinishedRuns(std::vector<FinishedRun> runs) {
  for (const FinishedRun& run : runs) {
    if (!run.run_id.empty()) {
      begun_[run.run_id] = {run.predicted_s, run.predicted_low_s, run.predicted_high_s};
    }
    if (run.elapsed_s <= 0) continue;
    by_point_[key_of(run.point)].of_gpus.emplace_back(run.gpus, run.elapsed_s);
    // The elapsed time includes the start-up time. The ratio of elapsed to predicted time is
    // therefore larger for short runs than for long runs. Time limits that are derived from such
    // ratios are too long rather than too short.
    if (run.predicted_s > 0) ratios_.push_back(run.elapsed_s / run.predicted_s);
  }
}

std::optional<predict::Band> FinishedRuns::run_s(const contract::RunSpec& run,
                                                 const predict::PublishedSpread& spread) const {
  const auto found = by_point_.find(key_of(run.point));
  if (found == by_point_.end()) return std::nullopt;
  // All runs of a point do the same work, so 1 / time is their throughput.
  std::vector<predict::Throughput> measured;
  for (const auto& [gpus, seconds] : found->second.of_gpus) measured.push_back({gpus, 1 / seconds});
  const auto rate = predict::throughput_at(std::move(measured), run.gpus);
  if (!rate) return std::nullopt;
  return predict::widened(predict::measured_time(1 / rate->samples_per_s),
                          predict::missing_cost(spread, rate->from_gpus, run.gpus));
}

std::optional<predict::Band> FinishedRuns::predicted_s(const std::string& run_id) const {
  const auto found = begun_.find(run_id);
  return found == begun_.end() ? std::nullopt : std::optional(found->second);
}

double FinishedRuns::margin(const ResourceSettings& requested) const {
  return predict::request_walltime(1, ratios_, requested.margin, requested.quantile).factor;
}

std::string FinishedRuns::note(const ResourceSettings& requested) const {
  if (ratios_.empty()) return "";
  const auto request = predict::request_walltime(1, ratios_, requested.margin, requested.quantile);
  const std::string finished = base::count_of(ratios_.size(), "finished run");
  if (request.learnt) {
    return fmt::format(
        "walltimes are predicted times x {:.2f}, which covers {:.4g} % of runs according to {}",
        request.factor, requested.quantile * 100, finished);
  }
  return fmt::format(
      "walltimes are predicted times x {:.2f}, the larger of the margin and the largest ratio of "
      "elapsed to predicted time in {}, which are too few for a {:.4g} % bound",
      request.factor, finished, requested.quantile * 100);
}

bool same_but_walltime(const contract::RunSpec& kept, contract::RunSpec planned) {
  planned.resources.walltime_s = kept.resources.walltime_s;
  // Earlier versions of dlscale did not write warmup_steps.
  if (kept.lr.warmup_steps == 0) planned.lr.warmup_steps = 0;
  return kept == planned;
}

}  // namespace dlscale::planner
