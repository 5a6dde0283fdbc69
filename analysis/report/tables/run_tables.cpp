// SPDX-License-Identifier: Apache-2.0
// Builds five tables: throughput by several definitions, last evaluation, training time to a
// target, inference, and data sent in an epoch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

// Table of the throughput of the same runs by several definitions. Published studies use different
// definitions.

namespace {

/// Step times of a point in seconds, one value for each repeat.
struct StepTimes {
  std::vector<double> load;       ///< time that a step waits for data, mean over the ranks
  std::vector<double> rest;       ///< time of all other parts of a step, mean over the ranks
  std::vector<double> rank_mean;  ///< sum of `load` and `rest`
  std::vector<double> slowest;    ///< step time of the slowest rank
  double batch = 0;               ///< samples of a step, summed over the ranks
  bool tells_load = true;  ///< false if the wait was not measured; `rest` is then the whole time
  bool tells_all_steps = true;  ///< false if a log has no steps; times are then times per sample

  explicit StepTimes(const CurvePoint& point)
      : tells_load(tells(point.repeats, contract::StepPart::load_wait)),
        tells_all_steps(tells_steps(point.repeats)) {
    double samples = 0, steps = 0;
    for (const RunRow* run : point.repeats) {
      const auto& parts = run->steps.parts_s;
      const auto count = static_cast<double>(run->steps.steps);
      const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
      const double whole = sum > 0 ? sum : run->steps.wall_s;
      load.push_back(parts[int(contract::StepPart::load_wait)] / count);
      rest.push_back(whole / count - load.back());
      rank_mean.push_back(whole / count);
      slowest.push_back(step_time_s(*run));
      samples += static_cast<double>(run->steps.samples);
      steps += count;
    }
    batch = samples / steps;
  }
};

/// Returns the interval of rates (samples per second) that corresponds to an interval of seconds
/// per sample.
Interval rate_of(const Interval& seconds) {
  if (seconds.kind == Interval::Kind::None) return seconds;
  return {seconds.kind, 1 / seconds.high, 1 / seconds.low};
}

/// Returns the mean of the values without the smallest and the largest one. Returns an empty value
/// for fewer than three values.
std::optional<double> olympic_mean(const std::vector<double>& values) {
  const std::vector<std::size_t> out = left_out(values, OutlierPolicy::Olympic);
  if (out.size() != 2) return std::nullopt;
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::find(out.begin(), out.end(), i) == out.end()) kept.push_back(values[i]);
  }
  return mean(kept);
}

std::string outlying_repetitions(const CurvePoint& point, const StepTimes& times) {
  std::vector<int> outlying;
  for (const std::size_t i : left_out(times.slowest, OutlierPolicy::Mad)) {
    outlying.push_back(point.repeats[i]->repetition);
  }
  std::sort(outlying.begin(), outlying.end());
  return fmt::format("{}", fmt::join(outlying, " "));
}

std::vector<Column> definition_columns_of(const Repeats& repeats) {
  const std::string median_id = "throughput_median_samples_per_s";
  return {{"n", "n"},
          {"batch", "batch", "", 0},
          {"load_s", "load", "s", 4},
          {"rest_s", "rest", "s", 4},
          {"throughput_mean_samples_per_s", "by the mean", "samples/s", 2},
          {"throughput_olympic_samples_per_s", "olympic", "samples/s", 2},
          {"slowest_rank_s", "slowest rank", "s", 4},
          {median_id, "by the median", "samples/s", 2},
          {median_id, interval_title(repeats), "samples/s", 1, 1, true},
          {"throughput_bootstrap_samples_per_s", "bootstrap", "samples/s", 1, 1, true},
          {"outlying_repetitions", "outliers"}};
}

}  // namespace

Table definitions_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const std::vector<RunPoint> failed = failed_next_to(curves, frame);
  const Start start(frame, keys_of(curves, failed));
  const Repeats repeats = repeats_of(curves);
  std::vector<std::string> notes{
      describe_mode(frame), describe_statistic(repeats),
      "by the mean = batch / (mean time of waiting for data + mean time of the rest of a step), "
      "over all ranks of all repeats; olympic = batch / mean over repeats of the mean time of the "
      "ranks, without the fastest and the slowest repeat; by the median = batch / median over "
      "repeats of the time of the slowest rank; bootstrap = the 2.5 % and 97.5 % quantiles of that "
      "median over all resamples of the "
      "repeats, from n = 6 on, a range that often covers the true value with less than 95 % "
      "probability",
      fmt::format(
          "outliers: repetitions in which the time of the slowest rank has a modified z-score "
          "beyond {} (from the median absolute deviation); they are included in every column",
          kOutlyingZ)};
  add_frame_notes(notes, frame);
  Table table =
      begin_table(start, "definitions", "Throughput by several definitions of " + frame.study,
                  std::move(notes), definition_columns_of(repeats));
  PointRows rows(frame);
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      const StepTimes times(point);
      const Estimate by_median = throughput(point);
      const std::optional<double> olympic = olympic_mean(times.rank_mean);
      Row row = start.row(curve.key, point.gpus);
      row.number(static_cast<double>(by_median.n));
      times.tells_all_steps ? row.number(times.batch) : row.nothing();
      if (times.tells_load && times.tells_all_steps) {
        row.number(mean(times.load)).number(mean(times.rest));
      } else {
        row.nothing().nothing();
      }
      row.number(times.batch / mean(times.rank_mean));
      olympic ? row.number(times.batch / *olympic) : row.nothing();
      times.tells_all_steps ? row.number(median(times.slowest)) : row.nothing();
      row.number(by_median.value).interval(by_median.interval);
      row.interval(rate_of(bootstrap_interval_of_median(point.seconds_per_sample)));
      row.text(outlying_repetitions(point, times));
      rows.add(curve.key, point.gpus, std::move(row));
    }
  }
  rows.add_failed(table, start, failed);
  rows.into(table);
  return table;
}

// Tables of the last evaluation, of training times to targets, of inference and of sent data.

namespace {

/// Returns the column of a metric of an evaluation. Accuracies are shown in percent, and other
/// metrics without conversion.
Column column_of(const std::string& metric) {
  std::string title = metric;
  std::replace(title.begin(), title.end(), '_', ' ');
  const bool is_share = metric.ends_with("accuracy");
  return {metric, title, is_share ? "%" : "", is_share ? 2 : 4, is_share ? 100.0 : 1.0};
}

/// Metric and threshold of a target. For example, the target "accuracy >= 0.9" has the metric
/// "accuracy" and the threshold 0.9.
using Target = std::pair<std::string, double>;

std::string target_text_of(const Target& target) {
  const bool is_maximum = target.first == "loss" || target.first == "train_loss";
  return fmt::format("{} {} {}", target.first, is_maximum ? "<=" : ">=", target.second);
}

const TargetRow* find_target(const RunRow& run, const Target& target) {
  for (const TargetRow& row : run.targets) {
    if (row.metric == target.first && row.threshold == target.second) return &row;
  }
  return nullptr;
}

/// Returns the number of epochs after which the target was reached, which includes the trained part
/// of an epoch if the target was reached within the epoch.
double epochs_until(const TargetRow& row, const RunRow& run) {
  const auto steps_per_epoch = static_cast<double>(run.size.steps_per_epoch);
  const bool is_within = row.metric == "train_loss" && steps_per_epoch > 0;
  return is_within ? static_cast<double>(row.step) / steps_per_epoch : row.epoch + 1.0;
}

/// Returns the number of bytes in which one gradient value is sent. Returns an empty value if the
/// run does not send gradient values, because it compresses gradients with PowerSGD.
std::optional<double> bytes_of_value(const RunRow& run) {
  const auto condition = [&](const char* name) {
    const auto found = run.conditions.find(name);
    return found == run.conditions.end() ? std::string() : found->second;
  };
  const std::string compression = condition("compression");
  if (compression == "powersgd") return std::nullopt;
  if (compression == "fp16" || compression == "bf16") return 2;
  return condition("precision") == "fp64" ? 8 : kFp32Bytes;
}

}  // namespace

std::optional<double> ring_bytes_of_epoch(const RunRow& run) {
  const std::optional<double> bytes = bytes_of_value(run);
  if (!bytes) return std::nullopt;
  return ring_bytes_per_epoch(static_cast<double>(run.size.steps_per_epoch), run.gpus,
                              static_cast<double>(run.size.trainable_parameters), *bytes);
}

std::optional<double> payload_per_epoch(const RunRow& run) {
  if (run.steps.steps == 0 || run.size.steps_per_epoch == 0) return std::nullopt;
  if (!tells_bytes_sent(run) || !run.steps.tells_steps) return std::nullopt;
  return run.steps.bytes_sent / static_cast<double>(run.steps.steps) *
         static_cast<double>(run.size.steps_per_epoch);
}

Table evaluation_table(const Frame& frame, const AnalysisOptions&) {
  // The accuracy has its own table, so a run that recorded only the accuracy gives no row here.
  const std::vector<RunPoint> points = run_points(frame, [](const RunRow& run) {
    if (!completed(run) || run.evals.empty()) return false;
    return std::isfinite(run.evals.back().loss) || !run.metrics.empty();
  });
  std::set<std::string> metrics;
  for (const RunPoint& point : points) {
    for (const RunRow* run : point.repeats) {
      for (const auto& [name, value] : run->metrics) metrics.insert(name);
    }
  }
  const Repeats repeats = repeats_of(points);
  std::vector<Column> columns{{"n", "n"}};
  add_columns(columns, {"test_loss", "test loss", "", 4}, repeats);
  for (const std::string& name : metrics) add_columns(columns, column_of(name), repeats);
  const Start start(frame, keys_of(points));
  Table table =
      begin_table(start, "evaluation", "Last evaluation of " + frame.study,
                  run_notes_of(frame, points, "on the test set after the last epoch"), columns);
  for (const RunPoint& point : points) {
    Row row = start.row(point.key, point.first().gpus);
    row.number(static_cast<double>(point.repeats.size()));
    add_summary(row, values_of(point, [](const RunRow& run) {
                  return std::optional(run.evals.back().loss);
                }));
    for (const std::string& name : metrics) {
      add_summary(row, values_of(point, [&](const RunRow& run) {
                    const auto found = run.metrics.find(name);
                    return found == run.metrics.end() ? std::nullopt : std::optional(found->second);
                  }));
    }
    row.into(table);
  }
  return table;
}

Table time_to_target_table(const Frame& frame, const AnalysisOptions&) {
  std::set<Target> targets;
  for (const RunRow& run : frame.runs) {
    for (const TargetRow& row : run.targets) targets.insert({row.metric, row.threshold});
  }
  std::vector<RunPoint> points;
  const auto has_ended = [](const RunRow& run) { return completed(run) || diverged(run); };
  if (!targets.empty()) points = run_points(frame, has_ended);
  const Start start(frame, keys_of(points));
  std::vector<Column> columns{
      {.id = "target", .title = "target", .is_key = true}, {"n", "n"}, {"reached", "reached"}};
  add_columns(columns, {"train_s", "training time", "s", 1}, repeats_of(points));
  columns.push_back({"epochs", "epochs", "", 1});
  columns.push_back({"samples", "samples", "", 0});
  columns.push_back({"steps", "steps", "", 0});
  Table table =
      begin_table(start, "time-to-target", "Training time to a target in " + frame.study,
                  run_notes_of(frame, points,
                               "medians over the repeats that reached the target; a target "
                               "is reached at the end of an epoch, or of a step window for "
                               "the metric train_loss; time excludes evaluation"),
                  columns);
  for (const RunPoint& point : points) {
    for (const Target& target : targets) {
      const auto of = [&](auto value) {
        return values_of(point, [&](const RunRow& run) {
          const TargetRow* row = find_target(run, target);
          return row == nullptr ? std::nullopt
                                : std::optional(static_cast<double>(value(*row, run)));
        });
      };
      const auto of_row = [&](auto TargetRow::*member) {
        return of([&](const TargetRow& row, const RunRow&) { return row.*member; });
      };
      const std::vector<double> times = of_row(&TargetRow::train_s);
      Row row = start.row(point.key, point.first().gpus);
      row.text(target_text_of(target)).number(static_cast<double>(point.repeats.size()));
      row.number(static_cast<double>(times.size()));
      add_summary(row, times);
      if (times.empty()) {
        row.nothing().nothing().nothing();
      } else {
        row.number(median(of(epochs_until)));
        row.number(median(of_row(&TargetRow::samples))).number(median(of_row(&TargetRow::step)));
      }
      row.into(table);
    }
  }
  return table;
}

namespace {

/// Returns true if the latency of a repeat of the point is split into computation and
/// communication.
bool has_split_latency(const RunPoint& point) {
  return std::any_of(point.repeats.begin(), point.repeats.end(), [](const RunRow* run) {
    return std::any_of(run->inference.begin(), run->inference.end(),
                       [](const InferenceRow& one) { return one.compute_p50_s.has_value(); });
  });
}

}  // namespace

Table inference_table(const Frame& frame, const AnalysisOptions&) {
  std::vector<RunPoint> points =
      run_points(frame, [](const RunRow& run) { return completed(run) && !run.inference.empty(); });
  // The batch is removed from the key because it has its own column.
  for (RunPoint& point : points) {
    std::erase_if(point.key, [](const AxisValue& entry) { return entry.axis == "batch_per_gpu"; });
  }
  const Start start(frame, keys_of(points));
  std::vector<Column> columns{{.id = "batch", .title = "batch/" + start.worker, .is_key = true},
                              {"n", "n"},
                              {"latency_p50_s", "latency p50", "ms", 2, 1000},
                              {"latency_p90_s", "latency p90", "ms", 2, 1000}};
  const bool is_split = std::any_of(points.begin(), points.end(), has_split_latency);
  if (is_split) {
    columns.push_back({"compute_p50_s", "computation p50", "ms", 2, 1000});
    columns.push_back({"communication_p50_s", "communication p50", "ms", 2, 1000});
  }
  add_columns(columns, {"samples_per_s", "throughput", "samples/s", 1}, repeats_of(points));
  Table table =
      begin_table(start, "inference", "Inference of " + frame.study,
                  run_notes_of(frame, points, "latency of a batch, median over repeats"), columns);
  for (const RunPoint& point : points) {
    std::set<std::int64_t> batches;
    for (const RunRow* run : point.repeats) {
      for (const InferenceRow& one : run->inference) batches.insert(one.batch);
    }
    for (const std::int64_t batch : batches) {
      const auto of = [&](auto InferenceRow::*member) {
        return values_of(point, [&](const RunRow& run) -> std::optional<double> {
          for (const InferenceRow& one : run.inference) {
            if (one.batch == batch) return one.*member;
          }
          return std::nullopt;
        });
      };
      const std::vector<double> rates = of(&InferenceRow::samples_per_s);
      if (rates.empty()) continue;
      Row row = start.row(point.key, point.first().gpus);
      row.number(static_cast<double>(batch)).number(static_cast<double>(rates.size()));
      row.number(median(of(&InferenceRow::latency_p50_s)));
      row.number(median(of(&InferenceRow::latency_p90_s)));
      if (is_split) {
        for (const auto part : {&InferenceRow::compute_p50_s, &InferenceRow::communication_p50_s}) {
          const std::vector<double> parts = of(part);
          parts.empty() ? row.nothing() : row.number(median(parts));
        }
      }
      add_summary(row, rates);
      row.into(table);
    }
  }
  return table;
}

Table transfer_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points = run_points(frame, [](const RunRow& run) {
    return completed(run) && run.size.trainable_parameters > 0 && run.size.steps_per_epoch > 0 &&
           run.global_batch > 0;
  });
  const Start start(frame, keys_of(points));
  constexpr double kGiga = 1e-9;
  Table table = begin_table(
      start, "transfer", "Data sent by " + frame.study + " in an epoch",
      run_notes_of(frame, points,
                   "published: N / (B k) x trainable parameters, for N images and batch B on each "
                   "of k GPUs; ring: steps x 2 (k - 1) / k x parameters x bytes per sent value, "
                   "per GPU; payload: data passed to collectives by a rank, as counted"),
      {{"trainable_parameters", "trainable parameters"},
       {"steps_per_epoch", "steps/epoch"},
       {"published_values_per_epoch", "published", "10^9 values", 3, kGiga},
       {"published_bytes_per_epoch", "published in fp32", "GB", 3, kGiga},
       {"ring_bytes_per_epoch", "ring", "GB", 3, kGiga},
       {"payload_bytes_per_epoch", "payload", "GB", 3, kGiga}});
  for (const RunPoint& point : points) {
    const RunRow& run = point.first();
    const auto parameters = static_cast<double>(run.size.trainable_parameters);
    const double published =
        published_values_per_epoch(static_cast<double>(run.size.train_samples),
                                   static_cast<double>(run.global_batch), parameters);
    Row row = start.row(point.key, run.gpus);
    row.number(parameters).number(static_cast<double>(run.size.steps_per_epoch));
    row.number(published).number(published * kFp32Bytes);
    row.number(ring_bytes_of_epoch(run));
    row.number(payload_per_epoch(run)).into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
