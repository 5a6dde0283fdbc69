// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/metrics/scaling/epoch_results.hpp"
#include "analysis/metrics/scaling/verdict.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/pivot.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kTimedSteps = "a completed run with timed steps";
constexpr const char* kBaseline = "a baseline";
constexpr const char* kPredictions = "saved predictions (dlscale predict --keep)";

bool has_evaluation(const RunRow& run) {
  return completed(run) && !run.evals.empty();
}
bool has_accuracy_or_diverged(const RunRow& run) {
  return has_accuracy(run) || diverged(run);
}
bool has_gaps(const RunRow& run) {
  return loss_gap(run).has_value() || accuracy_gap(run).has_value();
}
bool has_target(const RunRow& run) {
  return !run.targets.empty();
}
bool has_profiles(const RunRow& run) {
  return completed(run) && !run.profiles.empty();
}
bool has_rank_results(const RunRow& run) {
  return completed(run) && last_ranks(run).has_value();
}
bool has_parts(const RunRow& run) {
  if (!has_throughput(run)) return false;
  for (std::size_t i = 0; i < contract::kStepParts; ++i) {
    const bool is_other = i == static_cast<std::size_t>(contract::StepPart::other);
    if (!is_other && run.steps.parts_s[i] > 0) return true;
  }
  return false;
}
bool has_counters(const RunRow& run) {
  return completed(run) && !counters_of(run).empty();
}
bool has_measured(const RunRow& run) {
  return completed(run) && !run.measured.empty();
}
bool has_inference(const RunRow& run) {
  return completed(run) && !run.inference.empty();
}
bool has_size(const RunRow& run) {
  return completed(run) && run.size.trainable_parameters > 0 && run.size.steps_per_epoch > 0;
}
bool has_ranks(const RunRow& run) {
  return !run.ranks.empty();
}
bool has_collectives(const RunRow& run) {
  return completed(run) && !run.collectives.empty();
}
bool has_job(const RunRow& run) {
  return run.job.has_value();
}

constexpr Metric kMetrics[] = {
    {"efficiency", "throughput, step time, speed-up and parallel efficiency", &efficiency_table,
     kTimedSteps, &has_throughput},
    {"speedup", "speed-up against ideal, with the serial fraction", &speedup_table, kTimedSteps,
     &has_throughput, kBaseline},
    {"throughput", "samples per second, in total and per GPU", &throughput_table, kTimedSteps,
     &has_throughput},
    {"definitions", "throughput computed with the mean, the olympic mean and the median",
     &definitions_table, kTimedSteps, &has_throughput},
    {"breakdown", "parts of a step as shares of its time", &breakdown_table,
     "a completed run that recorded the parts of its steps (load_wait, forward, …)", &has_parts},
    {"kernel-shares", "communication, I/O and computation as shares of kernel time",
     &kernel_shares_table, "a completed run with profile = true", &has_profiles},
    {"counters", "bytes, collectives and events that the runs counted, per step and per epoch",
     &counters_table, "a completed run that counted bytes or events in its steps", &has_counters},
    {"measured", "further quantities that the programs measured, such as FLOP utilisation",
     &measured_table,
     "a completed run whose log format or recorder states a measured quantity ([measured.NAME])",
     &has_measured},
    {"epochs", "loss, accuracy and time of training and test in each epoch", &epochs_table,
     "a completed run that recorded its epochs", &has_epochs, "", true},
    {"ranks", "loss, accuracy and time of each rank in the last epoch", &ranks_table,
     "a completed run that recorded the work of several ranks", &has_rank_results, "", true},
    {"rank-epochs", "loss, accuracy and time of each rank in each epoch", &rank_epochs_table,
     "a completed run that recorded the work of several ranks", &has_rank_results, "", true},
    {"accuracy", "test accuracy by global batch", &accuracy_table,
     "a completed classification run that was evaluated", &has_accuracy_or_diverged},
    {"evaluation", "test loss, top-5 accuracy, perplexity and BLEU of the last evaluation",
     &evaluation_table, "a completed run that was evaluated", &has_evaluation,
     "an evaluation that recorded the test loss, top-5 accuracy, perplexity or BLEU"},
    {"generalisation", "gap between training and test for loss and accuracy", &generalisation_table,
     "a completed run that recorded training and test loss", &has_gaps},
    {"time-to-target", "training time, epochs, samples and steps until a target accuracy or loss",
     &time_to_target_table, "a run that reached a target (training.target)", &has_target,
     "a run that has ended"},
    {"inference", "latency and throughput of forward passes by batch", &inference_table,
     "a completed run with mode = \"inference\"", &has_inference},
    {"transfer", "values and bytes sent per epoch, computed and counted", &transfer_table,
     "a completed run that records its trainable parameters and steps per epoch", &has_size},
    {"collectives", "times and bandwidths (algbw, busbw) of collectives by message size",
     &collectives_table, "a log of nccl-tests", &has_collectives},
    {"jobs", "waiting time, GPU-hours and used share of the requested resources of jobs",
     &jobs_table, "a job recorded by sacct or oarstat", &has_job},
    {"verdicts", "which of two configurations is faster, and whether the repeats are sufficient",
     &verdicts_table, kTimedSteps, &has_throughput,
     "two configurations that differ in one axis or in their GPUs, and have the same model, data "
     "set and batch"},
    {"nodes", "slow nodes, by comparing the work of ranks within launches", &node_table,
     "a launch that recorded the work of its ranks", &has_ranks,
     "a launch that had ranks of equal work on two nodes"},
    {"cost", "GPU-hours, and samples per GPU-hour", &cost_table, kTimedSteps, &has_throughput},
    {"fit", "scaling laws fitted to step times, extrapolated to more GPUs", &fit_table, kTimedSteps,
     &has_throughput, "a curve of comparable runs at three GPU counts"},
    {"knee", "largest GPU counts with sufficient efficiency and accuracy", &knee_table, kTimedSteps,
     &has_throughput, kBaseline},
    {"predictions", "predicted and measured values of each point", &predictions_table, kTimedSteps,
     &has_throughput, kPredictions},
    {"prediction-errors", "errors of saved predictions", &prediction_errors_table, kTimedSteps,
     &has_throughput, kPredictions},
    {"recommend", "fastest configuration for each number of GPUs", &recommend_table, kTimedSteps,
     &has_throughput, "a curve of comparable runs (or --mixed)"},
};

std::vector<CurveKey> run_keys(const Frame& frame) {
  std::vector<CurveKey> keys;
  const CurveKeys all_keys(frame);
  for (const RunRow& run : frame.runs) keys.push_back(all_keys.of(run));
  return keys;
}

/// Throws base::UsageError that begins with `option` if one of the axes is not an axis of the
/// curves and not in `known`.
void check_axes(const char* option, const Frame& frame, const std::vector<std::string>& axes,
                std::vector<std::string> known) {
  const auto names_nodes = [](const RunRow& run) { return run.point.contains(kNodes); };
  if (std::ranges::any_of(frame.runs, names_nodes)) known.emplace_back(kNodes);
  for (const CurveKey& key : run_keys(frame)) {
    for (const AxisValue& entry : key) {
      if (std::ranges::find(known, entry.axis) == known.end()) known.push_back(entry.axis);
    }
  }
  for (const std::string& axis : axes) {
    if (std::ranges::find(known, axis) == known.end()) {
      throw base::UsageError(
          fmt::format("{}: {}", option, base::unknown_name("axis", axis, known)));
    }
  }
}

/// Returns the axes that have several values and that `by` does not name. Each combination of
/// values of these axes gets its own table.
std::vector<std::string> axes_to_split(const Frame& frame, const std::vector<std::string>& by) {
  std::vector<std::string> rest = varying_axes(run_keys(frame));
  std::erase_if(rest, [&](const std::string& axis) {
    return std::find(by.begin(), by.end(), axis) != by.end();
  });
  return rest;
}

/// Places the values of the axis next to each other in all tables that have the axis.
void pivot_tables(Report& report, const Metric& metric, const Frame& frame,
                  const std::string& axis) {
  bool any_axis = false;
  for (Table& table : report.tables) {
    if (!has_axis(table, axis)) continue;
    any_axis = true;
    table = pivoted(table, axis, frame.axes);
  }
  const bool any_rows =
      std::ranges::any_of(report.tables, [](const Table& table) { return !table.rows.empty(); });
  if (any_axis || !any_rows) return;
  std::set<std::string> values;
  for (const RunRow& run : frame.runs) {
    const auto value = run.point.find(axis);
    values.insert(value == run.point.end() ? "" : value->second);
  }
  const std::string why = values.size() == 1 && !values.begin()->empty()
                              ? fmt::format("all runs have {}", axis_text(axis, *values.begin()))
                              : fmt::format("the metric {} has no rows by {}", metric.name, axis);
  throw base::UsageError(fmt::format("--pivot: {}; choose another axis or metric", why));
}

/// Returns the text with every character other than letters and digits replaced by a hyphen. The
/// result becomes part of a table's id.
std::string file_slug(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return !std::isalnum(c); }, '-');
  return text;
}

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

std::vector<std::string> first_metrics(const Frame& frame) {
  const auto any = [&](auto holds) {
    return std::any_of(frame.runs.begin(), frame.runs.end(), holds);
  };
  const bool inference = any([](const RunRow& run) { return !run.inference.empty(); });
  const bool other_task =
      any([](const RunRow& run) { return !run.task.empty() && run.task != "classification"; });
  const bool collectives = any(has_collectives), jobs = any(has_job);
  const bool training = any(has_throughput) || (!inference && !collectives && !jobs);
  std::vector<std::string> names;
  if (training) names.emplace_back("efficiency");
  if (any(has_accuracy) || (training && !other_task)) names.emplace_back("accuracy");
  if (other_task && training) names.emplace_back("evaluation");
  if (inference) names.emplace_back("inference");
  if (collectives) names.emplace_back("collectives");
  if (jobs) names.emplace_back("jobs");
  if (training) names.emplace_back("breakdown");
  if (any(has_measured)) names.emplace_back("measured");
  if (training && !frame.predictions.empty()) names.emplace_back("prediction-errors");
  return names;
}

const Metric& find_metric(std::string_view name) {
  std::vector<std::string> known;
  for (const Metric& metric : kMetrics) {
    if (metric.name == name) return metric;
    known.emplace_back(metric.name);
  }
  throw base::UsageError(base::unknown_name("metric", name, known));
}

std::string why_nothing(const Metric& metric, const Frame& frame, const AnalysisOptions& options) {
  if (std::none_of(frame.runs.begin(), frame.runs.end(), metric.has)) {
    return fmt::format("{} needs {}, and there is none", metric.name, metric.needs);
  }
  const bool has_needed = metric.also[0] == '\0';
  const std::string_view needs = has_needed ? metric.needs : metric.also;
  // If the metric has no second condition, there are runs that meet `needs`, but none gives a row.
  std::string why = has_needed ? "such runs exist, but none of them gives a row" : "there is none";
  // Only metrics of throughput compare curves, and some curves may have no baseline.
  if (metric.has == &has_throughput) {
    for (const std::string& problem : describe_problems(
             choose_baselines(scaling_curves(frame), options.baseline, options.allow_mixed))) {
      if (needs == kBaseline || problem.find("--mixed") != problem.npos) why = problem;
    }
  }
  if (metric.make == &verdicts_table) {
    const std::vector<std::string> refused =
        verdicts_between(scaling_curves(frame), options.allow_mixed).refused;
    if (!refused.empty()) why = refused.front() + " (use --mixed to compare anyway)";
  }
  return fmt::format("{} needs {}: {}", metric.name, needs, why);
}

Report make_report(const Metric& metric, const Frame& frame, const AnalysisOptions& options,
                   std::vector<std::string> by, const std::string& pivot) {
  check_axes("--by", frame, by, {});
  if (!pivot.empty()) check_axes("--pivot", frame, {pivot}, {kGpus});
  if (by.empty()) {
    Report report{{metric.make(frame, options)}};
    if (!pivot.empty()) pivot_tables(report, metric, frame, pivot);
    return report;
  }
  if (!pivot.empty()) by.push_back(pivot);
  const std::vector<std::string> split = axes_to_split(frame, by);
  std::map<std::pair<std::vector<std::size_t>, std::string>, std::pair<CurveKey, Frame>> parts;
  const CurveKeys keys(frame);
  for (const RunRow& run : frame.runs) {
    CurveKey key = keys.of(run);
    std::erase_if(key, [&](const AxisValue& entry) {
      return std::find(split.begin(), split.end(), entry.axis) == split.end();
    });
    auto& [part_key, part] = parts[{rank_of(frame, key), to_string(key)}];
    if (part.runs.empty()) {
      part_key = key;
      part = {frame.study, frame.scaling, frame.baseline, frame.is_imported, frame.axes,         {},
              {},          frame.warmup,  frame.outliers, frame.predictions, frame.spread_curves};
    }
    part.runs.push_back(run);
  }
  Report report;
  for (const auto& [order, entry] : parts) {
    const auto& [key, part] = entry;
    Table table = metric.make(part, options);
    for (const AxisValue& fixed : key) table.id += "-" + file_slug(fixed.value);
    if (!key.empty()) table.title += fmt::format(" ({})", name_among(key, split));
    report.tables.push_back(std::move(table));
  }
  if (!pivot.empty()) pivot_tables(report, metric, frame, pivot);
  return report;
}

}  // namespace dlscale::analysis
