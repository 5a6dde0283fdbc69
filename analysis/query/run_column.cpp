// SPDX-License-Identifier: Apache-2.0
#include "analysis/query/run_column.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

using Kind = RunColumn::Kind;
using Measured = double (*)(const RunRow&);

/// Digits after the point with which a number reads back as it is; as many as help anybody.
int decimals_of(double value) {
  constexpr int kMost = 9;
  if (!std::isfinite(value)) return 0;
  int decimals = 0;
  for (; decimals < kMost; ++decimals) {
    const double shifted = std::abs(value) * std::pow(10, decimals);
    if (std::abs(shifted - std::round(shifted)) <= 1e-9 * shifted) break;
  }
  return decimals;
}

RunColumn axis_column(const contract::Axis& axis) {
  const bool numbers =
      !axis.values.empty() &&
      std::all_of(axis.values.begin(), axis.values.end(), [](const std::string& value) {
        return base::number_of<double>(value).has_value();
      });
  const auto value = [name = axis.name, numbers](const RunRow& run) -> RunValue {
    const auto found = run.point.find(name);
    if (found == run.point.end()) return {};
    if (!numbers) return found->second;
    const std::optional<double> number = base::number_of<double>(found->second);
    return number ? RunValue(*number) : RunValue();
  };
  RunColumn column{axis.name, numbers ? Kind::Number : Kind::Text, value};
  if (!numbers) return column;
  for (const std::string& text : axis.values) {
    column.decimals = std::max(column.decimals, decimals_of(*base::number_of<double>(text)));
  }
  return column;
}

RunColumn condition_column(const std::string& name) {
  return {name, Kind::Text, [name](const RunRow& run) -> RunValue {
            const auto found = run.conditions.find(name);
            return found == run.conditions.end() ? RunValue() : RunValue(found->second);
          }};
}

/// A number that only runs with `fits` have.
RunColumn number_column(const char* name, Kind kind, int decimals, Measured measure,
                        bool (*fits)(const RunRow&)) {
  RunColumn column{name, kind, [measure, fits](const RunRow& run) -> RunValue {
                     return fits(run) ? RunValue(measure(run)) : RunValue();
                   }};
  column.decimals = decimals;
  return column;
}

/// Says how many steps there were, and not just rates.
bool has_steps(const RunRow& run) {
  return has_throughput(run) && run.steps.tells_steps;
}
bool has_step_times(const RunRow& run) {
  return has_throughput(run) && tells_time(run);
}
/// Somebody counted what collectives sent.
bool has_bytes_sent(const RunRow& run) {
  return has_throughput(run) && tells_bytes_sent(run);
}

RunColumn rate_column(const char* name, const char* made_of, int decimals, Measured above,
                      Measured below) {
  RunColumn column{name, Kind::Rate, [above, below](const RunRow& run) -> RunValue {
                     if (!has_throughput(run) || !(below(run) > 0)) return {};
                     return above(run) / below(run);
                   }};
  column.made_of = made_of;
  column.above = above;
  column.below = below;
  column.decimals = decimals;
  return column;
}

bool any(const RunRow&) {
  return true;
}
/// Where nothing says how long it computed, or on how many, nothing is known of what it took.
bool has_time(const RunRow& run) {
  return run.gpus > 0 && run.spent.kept_s + run.spent.lost_s > 0;
}
bool has_epochs(const RunRow& run) {
  return completed(run) && epoch_time_s(run).has_value();
}

double samples(const RunRow& run) {
  return static_cast<double>(run.steps.samples);
}
double steps(const RunRow& run) {
  return static_cast<double>(run.steps.steps);
}
double wall_s(const RunRow& run) {
  return run.steps.wall_s;
}
double gpu_seconds(const RunRow& run) {
  return run.steps.wall_s * run.gpus;
}
double gpu_hours(const RunRow& run) {
  if (run.job) return run.job->gpus * run.job->elapsed_s / kHour;
  return (run.spent.kept_s + run.spent.lost_s) * run.gpus / kHour;
}
bool has_gpu_hours(const RunRow& run) {
  return run.job ? std::isfinite(gpu_hours(run)) : has_time(run);
}

double bytes_sent(const RunRow& run) {
  return run.steps.bytes_sent;
}

/// Of a run's step windows and of its GPU-hours, which are therefore not of the same time.
constexpr const char* kWithoutStartUp = "of the step windows that the tables use: no start-up";
constexpr const char* kWithStartUp = "of all training, with start-up and what was done again";

RunColumn covering(RunColumn column, const char* what) {
  column.covers = what;
  return column;
}

/// The column of runs that fit; of others nothing.
RunColumn only_of(RunColumn column, bool (*fits)(const RunRow&)) {
  column.value = [value = column.value, fits](const RunRow& run) {
    return fits(run) ? value(run) : RunValue();
  };
  return column;
}

std::vector<RunColumn> measured_columns() {
  using R = const RunRow&;
  return {
      rate_column("samples_per_s", "samples / wall_s", 1, &samples, &wall_s),
      rate_column("samples_per_s_per_gpu", "samples / (wall_s x gpus)", 1, &samples, &gpu_seconds),
      only_of(rate_column("step_time_s", "wall_s / steps", 5, &wall_s, &steps), &has_steps),
      rate_column("seconds_per_sample", "wall_s / samples", 7, &wall_s, &samples),
      only_of(rate_column("bytes_sent_per_step", "bytes_sent / steps", 0, &bytes_sent, &steps),
              [](R run) { return has_bytes_sent(run) && has_steps(run); }),
      covering(number_column("steps", Kind::Amount, 0, &steps, &has_steps), kWithoutStartUp),
      covering(number_column("samples", Kind::Amount, 0, &samples, &has_step_times),
               kWithoutStartUp),
      covering(number_column("wall_s", Kind::Amount, 2, &wall_s, &has_step_times), kWithoutStartUp),
      covering(number_column("bytes_sent", Kind::Amount, 0, &bytes_sent, &has_bytes_sent),
               kWithoutStartUp),
      covering(number_column("gpu_hours", Kind::Amount, 4, &gpu_hours, &has_gpu_hours),
               kWithStartUp),
      number_column(
          "lost_s", Kind::Amount, 2, [](R run) { return run.spent.lost_s; }, &has_time),
      number_column(
          "launches", Kind::Amount, 0, [](R run) { return double(run.spent.launches); },
          &completed),
      number_column(
          "epoch_time_s", Kind::Number, 3, [](R run) { return *epoch_time_s(run); }, &has_epochs),
      number_column("final_accuracy", Kind::Number, 4, &final_accuracy, &has_accuracy),
      number_column("best_accuracy", Kind::Number, 4, &best_accuracy, &has_accuracy),
      number_column(
          "loss_gap", Kind::Number, 4, [](R run) { return loss_gap(run)->gap; },
          [](R run) { return loss_gap(run).has_value(); }),
      number_column(
          "accuracy_gap", Kind::Number, 4, [](R run) { return accuracy_gap(run)->gap; },
          [](R run) { return accuracy_gap(run).has_value(); }),
  };
}

/// Seconds of each part of a step, and their share of all parts; nothing where nobody measured it.
void add_parts(std::vector<RunColumn>& columns) {
  for (std::size_t i = 0; i < contract::kStepParts; ++i) {
    const std::string part = contract::kStepPartNames[i];
    const auto seconds = [i](const RunRow& run) { return run.steps.parts_s[i]; };
    const auto all = [](const RunRow& run) {
      return std::accumulate(run.steps.parts_s.begin(), run.steps.parts_s.end(), 0.0);
    };
    const auto told = [part_of_step = static_cast<contract::StepPart>(i)](const RunRow& run) {
      return has_step_times(run) && tells(run, part_of_step);
    };
    RunColumn amount{part + "_s", Kind::Amount, [seconds, told](const RunRow& run) -> RunValue {
                       return told(run) ? RunValue(seconds(run)) : RunValue();
                     }};
    amount.decimals = 3;
    amount.covers = kWithoutStartUp;
    RunColumn share{part + "_share", Kind::Rate,
                    [seconds, all, told](const RunRow& run) -> RunValue {
                      if (!told(run) || !(all(run) > 0)) return {};
                      return seconds(run) / all(run);
                    }};
    share.made_of = part + "_s / sum of the parts";
    share.above = seconds;
    share.below = all;
    share.decimals = 4;
    columns.push_back(std::move(amount));
    columns.push_back(std::move(share));
  }
}

/// What a batch system's books say of a run.
RunColumn job_number(const char* name, Kind kind, int decimals, double JobRow::*member) {
  RunColumn column{name, kind, [member](const RunRow& run) -> RunValue {
                     if (!run.job || !std::isfinite((*run.job).*member)) return {};
                     return (*run.job).*member;
                   }};
  column.decimals = decimals;
  return column;
}

std::vector<RunColumn> job_columns() {
  return {{"partition", Kind::Text,
           [](const RunRow& run) -> RunValue {
             if (!run.job || run.job->partition.empty()) return {};
             return run.job->partition;
           }},
          job_number("waited_s", Kind::Amount, 0, &JobRow::waited_s),
          job_number("elapsed_s", Kind::Amount, 0, &JobRow::elapsed_s),
          job_number("timelimit_s", Kind::Amount, 0, &JobRow::timelimit_s),
          job_number("requested_memory_bytes", Kind::Number, 0, &JobRow::requested_memory_bytes),
          job_number("max_memory_bytes", Kind::Number, 0, &JobRow::max_memory_bytes),
          job_number("energy_j", Kind::Amount, 0, &JobRow::energy_j)};
}

std::vector<RunColumn> described_columns() {
  using R = const RunRow&;
  return {
      {"run_id", Kind::Text, [](R run) -> RunValue { return run.run_id; }},
      {"outcome", Kind::Text, [](R run) -> RunValue { return run.outcome; }},
      number_column(
          "gpus", Kind::Number, 0, [](R run) { return double(run.gpus); }, &any),
      number_column(
          "nodes", Kind::Number, 0, [](R run) { return double(run.nodes); }, &any),
      number_column(
          "batch_per_gpu", Kind::Number, 0, [](R run) { return double(run.batch_per_gpu); },
          [](R run) { return run.batch_per_gpu > 0; }),
      number_column(
          "global_batch", Kind::Number, 0, [](R run) { return double(run.global_batch); },
          [](R run) { return run.global_batch > 0; }),
      number_column(
          "repetition", Kind::Number, 0, [](R run) { return double(run.repetition); }, &any),
      number_column(
          "lr_peak", Kind::Number, 6, [](R run) { return run.lr_peak; },
          [](R run) { return run.lr_peak > 0; }),
  };
}

}  // namespace

std::vector<RunColumn> run_columns(const Frame& frame) {
  std::vector<RunColumn> columns;
  std::set<std::string> names;
  const auto add = [&](RunColumn column) {
    if (names.insert(column.name).second) columns.push_back(std::move(column));
  };
  const auto add_own = [&](RunColumn column) {  // an axis of its name means something else
    while (names.contains(column.name)) column.name = "measured_" + column.name;
    add(std::move(column));
  };
  for (const contract::Axis& axis : frame.axes) add(axis_column(axis));
  for (RunColumn& column : described_columns()) add(std::move(column));
  std::set<std::string> conditions;
  for (const RunRow& run : frame.runs) {
    for (const auto& [name, value] : run.conditions) conditions.insert(name);
  }
  for (const std::string& name : conditions) add(condition_column(name));
  std::vector<RunColumn> measured = measured_columns();
  add_parts(measured);
  for (RunColumn& column : measured) add_own(std::move(column));
  const bool any_job = std::any_of(frame.runs.begin(), frame.runs.end(),
                                   [](const RunRow& run) { return run.job.has_value(); });
  if (!any_job) return columns;
  for (RunColumn& column : job_columns()) add_own(std::move(column));
  return columns;
}

std::vector<std::string> names_of(const std::vector<RunColumn>& columns) {
  std::vector<std::string> names;
  for (const RunColumn& column : columns) names.push_back(column.name);
  return names;
}

const RunColumn* find_column(const std::vector<RunColumn>& columns, const std::string& name) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const RunColumn& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace dlscale::analysis
