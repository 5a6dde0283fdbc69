// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/joined_frames.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "analysis/metrics/scaling/curve.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the scaling mode of a study and the batch that the mode keeps fixed, for messages.
std::string mode_of(const Frame& frame) {
  return fmt::format("scaling = \"{}\" with a fixed {}", frame.scaling, fixed_batch(frame));
}

void require_same_mode(const std::vector<NamedFrame>& sources) {
  const NamedFrame& first = sources.front();
  for (const NamedFrame& other : sources) {
    if (mode_of(other.frame) == mode_of(first.frame)) continue;
    throw base::UsageError(
        fmt::format("{} has {}, but {} has {}: these studies cannot share tables; analyze each "
                    "folder alone",
                    first.name, mode_of(first.frame), other.name, mode_of(other.frame)));
  }
}

void require_no_source_axis(const NamedFrame& source) {
  const auto has_axis = [](const contract::Axis& axis) { return axis.name == kSource; };
  const auto has_value = [](const RunRow& run) { return run.point.contains(kSource); };
  if (std::ranges::none_of(source.frame.axes, has_axis) &&
      std::ranges::none_of(source.frame.runs, has_value)) {
    return;
  }
  throw base::UsageError(
      fmt::format("{}: the study has its own axis \"source\", which is the name of the axis of "
                  "plan folders; analyze this folder alone",
                  source.name));
}

/// Returns the names of the studies without repetitions, as one text.
std::string joined_study(const std::vector<NamedFrame>& sources) {
  std::vector<std::string> names;
  for (const NamedFrame& source : sources) {
    if (std::ranges::find(names, source.frame.study) == names.end()) {
      names.push_back(source.frame.study);
    }
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

/// Sorts the values of an axis if all values are numbers. Without sorting, the joined list
/// would be out of order if the numbers of two studies overlap.
void sort_numbers(std::vector<std::string>& values) {
  const auto is_number = [](const std::string& value) {
    return base::number_of<double>(value).has_value();
  };
  if (!std::ranges::all_of(values, is_number)) return;
  std::ranges::stable_sort(
      values, {}, [](const std::string& value) { return *base::number_of<double>(value); });
}

std::vector<contract::Axis> joined_axes(const std::vector<NamedFrame>& sources) {
  contract::Axis names{kSource, {}};
  for (const NamedFrame& source : sources) names.values.push_back(source.name);
  std::vector<contract::Axis> axes{std::move(names)};
  for (const NamedFrame& source : sources) {
    for (const contract::Axis& axis : source.frame.axes) {
      const auto known = std::ranges::find(axes, axis.name, &contract::Axis::name);
      if (known == axes.end()) {
        axes.push_back(axis);
        continue;
      }
      const std::size_t before = known->values.size();
      for (const std::string& value : axis.values) {
        if (std::ranges::find(known->values, value) == known->values.end()) {
          known->values.push_back(value);
        }
      }
      if (known->values.size() > before) sort_numbers(known->values);
    }
  }
  return axes;
}

/// Returns the names of the axes, such as `framework`, that have the same value as the condition of
/// this name in all runs that have both the axis and the condition. Such a condition can replace a
/// missing value of the axis.
std::set<std::string> recorded_axes(const std::vector<contract::Axis>& axes,
                                    const std::vector<NamedFrame>& sources) {
  const auto agrees = [](const RunRow& run, const std::string& axis) {
    const auto value = run.point.find(axis);
    const auto condition = run.conditions.find(axis);
    return value == run.point.end() || condition == run.conditions.end() ||
           value->second == condition->second;
  };
  std::set<std::string> recorded;
  for (const contract::Axis& axis : axes) {
    const bool all = std::ranges::all_of(sources, [&](const NamedFrame& source) {
      return std::ranges::all_of(source.frame.runs,
                                 [&](const RunRow& run) { return agrees(run, axis.name); });
    });
    if (all) recorded.insert(axis.name);
  }
  return recorded;
}

/// Completes the points of the runs of one folder: the source, missing values of axes, and the
/// global batch of strong scaling.
void complete_points(NamedFrame& source, const std::set<std::string>& recorded) {
  const bool keeps_global = std::string_view(fixed_batch(source.frame)) == kGlobalBatch;
  std::vector<std::string> batches;
  const CurveKeys keys(source.frame);
  for (const RunRow& run : source.frame.runs) batches.push_back(keys.asked_global_batch(run));
  for (std::size_t i = 0; i < source.frame.runs.size(); ++i) {
    RunRow& run = source.frame.runs[i];
    const bool names_batch = run.point.contains(kGlobalBatch) || run.point.contains(kBatchPerGpu);
    if (keeps_global && !names_batch && !batches[i].empty()) run.point[kGlobalBatch] = batches[i];
    for (const std::string& axis : recorded) {
      const auto condition = run.conditions.find(axis);
      if (condition != run.conditions.end()) run.point.emplace(axis, condition->second);
    }
    run.point[kSource] = source.name;
    run.source = source.name;
    run.run_id = joined_run_id(source.name, run.run_id);
  }
}

void append_predictions(Frame& joined, NamedFrame& source) {
  for (KeptPrediction& kept : source.frame.predictions) {
    for (std::string& run_id : kept.run_ids) run_id = joined_run_id(source.name, run_id);
    joined.predictions.push_back(std::move(kept));
  }
}

}  // namespace

Frame join_frames(std::vector<NamedFrame> sources) {
  for (const NamedFrame& source : sources) require_no_source_axis(source);
  require_same_mode(sources);
  const Frame& first = sources.front().frame;
  Frame joined;
  joined.study = joined_study(sources);
  joined.scaling = first.scaling;
  joined.baseline = first.baseline;
  joined.warmup = first.warmup;
  joined.axes = joined_axes(sources);
  joined.is_imported = std::ranges::all_of(
      sources, [](const NamedFrame& source) { return source.frame.is_imported; });
  const std::set<std::string> recorded = recorded_axes(joined.axes, sources);
  for (NamedFrame& source : sources) {
    complete_points(source, recorded);
    append_predictions(joined, source);
    for (auto& [folder, origin] : source.frame.origins) {
      joined.origins.emplace(source.name, std::move(origin));
    }
    joined.ends_repeats_early = joined.ends_repeats_early || source.frame.ends_repeats_early;
    std::ranges::move(source.frame.runs, std::back_inserter(joined.runs));
  }
  return joined;
}

std::string joined_run_id(const std::string& source, std::string_view run_id) {
  return fmt::format("{}/{}", source, run_id);
}

std::string run_id_in_folder(const RunRow& run) {
  return run.source.empty() ? run.run_id : run.run_id.substr(run.source.size() + 1);
}

bool describes_source(std::string_view condition) {
  static const std::set<std::string_view> names{
      "cores_per_rank", "cpu", "cpu_kernels", "cuda",     "driver", "gpu",   "gpu_kernels",
      "modules",        "mpi", "nccl",        "packages", "python", "torch", "trainer"};
  return names.contains(condition);
}

bool are_of_different_sources(const RunRow& a, const RunRow& b) {
  return a.source != b.source;
}

}  // namespace dlscale::analysis
