// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/scaling/curve.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

constexpr Metric kMetrics[] = {
    {"efficiency", "throughput, step time, speed-up and parallel efficiency", &efficiency_table},
    {"speedup", "speed-up against ideal, with the serial fraction", &speedup_table},
    {"throughput", "samples per second, in all and per GPU", &throughput_table},
    {"definitions", "throughput by the mean, the olympic mean and the median", &definitions_table},
    {"breakdown", "shares of the parts of a step", &breakdown_table},
    {"accuracy", "test accuracy by global batch", &accuracy_table},
    {"evaluation", "test loss, top-5 accuracy, perplexity, BLEU: what the last evaluation found",
     &evaluation_table},
    {"time-to-target", "training time, epochs and samples to an accuracy or loss",
     &time_to_target_table},
    {"inference", "latency and throughput of forward passes by batch", &inference_table},
    {"transfer", "values and bytes an epoch sends, by formula and as counted", &transfer_table},
    {"verdicts", "which of two configurations is faster, and whether the repeats can tell",
     &verdicts_table},
    {"nodes", "which node was slow: the ranks' own work, compared within launches", &node_table},
    {"cost", "GPU-hours, and samples for each of them", &cost_table},
    {"fit", "scaling laws through step times, and what they say of more GPUs", &fit_table},
    {"knee", "up to how many GPUs efficiency and accuracy are worth it", &knee_table},
    {"recommend", "the fastest configuration for each budget of GPUs", &recommend_table},
};

/// The varying axes that `by` does not name: a table each for their combinations.
std::vector<std::string> axes_to_split(const Frame& frame, const std::vector<std::string>& by) {
  std::vector<CurveKey> keys;
  for (const RunRow& run : frame.runs) keys.push_back(curve_key(frame, run));
  std::vector<std::string> known;
  for (const CurveKey& key : keys) {
    for (const AxisValue& entry : key) {
      if (std::find(known.begin(), known.end(), entry.axis) == known.end()) {
        known.push_back(entry.axis);
      }
    }
  }
  for (const std::string& axis : by) {
    if (std::find(known.begin(), known.end(), axis) == known.end()) {
      throw base::UsageError("--by: " + base::unknown_name("axis", axis, known));
    }
  }
  std::vector<std::string> rest = varying_axes(keys);
  std::erase_if(rest, [&](const std::string& axis) {
    return std::find(by.begin(), by.end(), axis) != by.end();
  });
  return rest;
}

/// Letters, digits and hyphens only, so that it can be part of a label.
std::string slug(std::string text) {
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
  const bool training = !inference || any(has_throughput);
  std::vector<std::string> names;
  if (training) names.emplace_back("efficiency");
  if (any(has_accuracy) || (training && !other_task)) names.emplace_back("accuracy");
  if (other_task && training) names.emplace_back("evaluation");
  if (inference) names.emplace_back("inference");
  if (training) names.emplace_back("breakdown");
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

Report make_report(const Metric& metric, const Frame& frame, const AnalysisOptions& options,
                   const std::vector<std::string>& by) {
  if (by.empty()) return {{metric.make(frame, options)}};
  const std::vector<std::string> split = axes_to_split(frame, by);
  std::map<std::pair<std::vector<std::size_t>, std::string>, std::pair<CurveKey, Frame>> parts;
  for (const RunRow& run : frame.runs) {
    CurveKey key = curve_key(frame, run);
    std::erase_if(key, [&](const AxisValue& entry) {
      return std::find(split.begin(), split.end(), entry.axis) == split.end();
    });
    auto& [part_key, part] = parts[{rank_of(frame, key), to_string(key)}];
    if (part.runs.empty()) {
      part_key = key;
      part = {frame.study, frame.scaling, frame.baseline, frame.axes, {},
              {},          frame.warmup,  frame.outliers};
    }
    part.runs.push_back(run);
  }
  Report report;
  for (const auto& [order, entry] : parts) {
    const auto& [key, part] = entry;
    Table table = metric.make(part, options);
    for (const AxisValue& fixed : key) table.id += "-" + slug(fixed.value);
    if (!key.empty()) table.title += fmt::format(" ({})", to_string(key));
    report.tables.push_back(std::move(table));
  }
  return report;
}

}  // namespace dlscale::analysis
