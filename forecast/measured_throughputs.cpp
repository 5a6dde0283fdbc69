// SPDX-License-Identifier: Apache-2.0
#include "forecast/measured_throughputs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "analysis/metrics/scaling/curve.hpp"
#include "config/toml/document.hpp"
#include "planner/study/settings.hpp"

namespace dlscale::forecast {
namespace {

using Conditions = std::map<std::string, std::string>;

/// Returns whether rows of a calibration may have a condition on this axis. A name with a dot would
/// be an inner table of the row.
bool can_be_condition(const std::string& axis) {
  if (axis.find('.') != std::string::npos) return false;
  const std::vector<planner::Setting>& settings = planner::axis_settings();
  return std::ranges::any_of(
      settings, [&](const planner::Setting& setting) { return setting.symbol.name == axis; });
}

/// Returns the value of a run on an axis of another study. The result is empty if it is unknown.
std::string value_on(const analysis::RunRow& run, const std::string& axis) {
  const auto own = run.point.find(axis);
  if (own != run.point.end()) return own->second;
  if (axis == "batch_per_gpu") return std::to_string(run.batch_per_gpu);
  if (axis == "global_batch") return std::to_string(run.global_batch);
  const auto condition = run.conditions.find(axis);
  return condition == run.conditions.end() ? "" : condition->second;
}

/// Returns the conditions of a row for a run. Returns nothing if the throughput does not apply to
/// the study with these axes, or if the batch or the value on an axis is unknown. An axis that
/// cannot be a condition must have the value of the run alone.
std::optional<Conditions> conditions_of(const analysis::RunRow& run, const std::string& scaling,
                                        const std::vector<contract::Axis>& axes) {
  const bool is_strong = scaling == "strong";
  const std::int64_t batch = is_strong ? run.global_batch : run.batch_per_gpu;
  if (batch <= 0) return std::nullopt;
  Conditions conditions{{is_strong ? "global_batch" : "batch_per_gpu", std::to_string(batch)}};
  for (const contract::Axis& axis : axes) {
    if (axis.name == "gpus") continue;
    const std::string value = value_on(run, axis.name);
    if (value.empty()) return std::nullopt;
    if (can_be_condition(axis.name)) {
      conditions.emplace(axis.name, value);
    } else if (axis.values != std::vector{value}) {
      return std::nullopt;
    }
  }
  return conditions;
}

}  // namespace

std::string throughput_rows(const analysis::Frame& frame, const std::vector<contract::Axis>& axes) {
  std::map<std::pair<Conditions, int>, std::vector<double>> rows;  // samples/s of equal rows
  for (const analysis::ScalingCurve& curve : analysis::scaling_curves(frame)) {
    for (const analysis::CurvePoint& point : curve.points) {
      auto conditions = conditions_of(*point.repeats.front(), frame.scaling, axes);
      if (!conditions) continue;
      rows[{std::move(*conditions), point.gpus}].push_back(analysis::throughput(point).value);
    }
  }
  config::List list;
  for (const auto& [key, samples_per_s] : rows) {
    if (samples_per_s.size() > 1) continue;
    const auto& [conditions, gpus] = key;
    config::Table row{{"gpus", {}, {std::int64_t{gpus}, {}}},
                      {"samples_per_s", {}, {samples_per_s.front(), {}}}};
    for (const auto& [axis, value] : conditions) row.push_back({axis, {}, {value, {}}});
    list.push_back({std::move(row), {}});
  }
  if (list.empty()) return "";
  config::Table document{{"throughput", {}, {std::move(list), {}}}};
  return config::toml_text({std::move(document), {}});
}

}  // namespace dlscale::forecast
