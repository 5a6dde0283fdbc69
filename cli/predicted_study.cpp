// SPDX-License-Identifier: Apache-2.0
#include "cli/predicted_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "planner/site/device_reader.hpp"
#include "predict/walltime.hpp"
#include "predict/workload.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// A hop of NCCL's rings between nodes where the site does not say it: nccl/src/graph/tuning.cc.
constexpr predict::Seconds kUsualHop = predict::microseconds(14);

/// What differs between the points of a curve.
bool varies(const std::string& axis) {
  return axis == "gpus" || axis == "lr.base" || axis == "lr_schedule";
}

void note_once(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

/// The card of a run's model, or one that differs in the number of classes alone, which is noted.
std::optional<contract::ModelCard> find_card(const contract::RunSpec& run, const fs::path& folder,
                                             std::vector<std::string>& notes) {
  const auto shape = predict::sample_shape(run.dataset);
  if (!shape) {
    note_once(notes, fmt::format("what {} gets of {} is not known: no prediction", run.model,
                                 run.dataset.kind));
    return std::nullopt;
  }
  const std::string precision = predict::card_precision(run.precision);
  const std::string name =
      contract::card_file_name(run.model, shape->input, shape->classes, precision);
  fs::path file = folder / name;
  std::error_code unreadable;
  if (!fs::exists(file, unreadable)) {
    note_once(notes,
              fmt::format("there is no card {}: dlscale-train --describe {} --input {} "
                          "--classes {}{} > {}",
                          name, run.model, contract::shape_text(shape->input), shape->classes,
                          precision == "fp32" ? "" : " --precision " + precision, file.string()));
    return std::nullopt;
  }
  return contract::model_card_from_json(base::read_text_file(file), file.string());
}

/// Of the partition that the plan gives a run; null on a site without any.
const planner::Partition* partition_of(const planner::Planning& planning, std::size_t point) {
  const int index = planning.allocations[point].partition;
  return index < 0 ? nullptr : &planning.site.partitions[static_cast<std::size_t>(index)];
}

predict::Device device_of(const planner::Planning& planning, const planner::Partition* partition,
                          const contract::RunSpec& run, const PredictionFiles& files,
                          const WhatIf& what) {
  const std::string name =
      !what.gpu.empty() ? what.gpu : (partition == nullptr ? "" : partition->gpu);
  if (name.empty()) {
    throw base::UsageError(fmt::format(
        "the site {} does not say which GPU it has: write gpu = \"NAME\" into its partition{}, or "
        "ask with --what-if gpu=NAME (there are: {})",
        planning.site.name, partition == nullptr ? "" : " " + partition->name,
        fmt::join(planner::devices_in(files.devices), ", ")));
  }
  predict::Device device = planner::find_device(name, files.devices);
  if (what.peak) device.peak[run.precision] = *what.peak;
  if (what.memory) device.memory_bandwidth = *what.memory;
  if (what.capacity) device.memory = *what.capacity;
  return device;
}

predict::Network network_of(const predict::Device& device, const planner::Partition* partition,
                            const WhatIf& what) {
  predict::Network network{device.peer, {kUsualHop, {}}};
  if (partition != nullptr) {
    network.between.bandwidth = predict::gigabits_per_s(partition->link_gbit_s);
    if (partition->link_latency_us > 0) {
      network.between.latency = predict::microseconds(partition->link_latency_us);
    }
  }
  if (what.link) network.between.bandwidth = *what.link;
  if (what.latency) network.between.latency = *what.latency;
  return network;
}

/// Of the run with the fewest GPUs; empty where no model or card is there, with a note why.
std::optional<PredictedCurve> begin_curve(const planner::Planning& planning, std::size_t first_run,
                                          const PredictionFiles& files, const WhatIf& what,
                                          std::vector<std::string>& notes) {
  contract::RunSpec run = planning.run(first_run);
  const std::size_t point = first_run / static_cast<std::size_t>(planning.study.repeats);
  if (const std::string why = predict::not_modelled(run); !why.empty()) {
    note_once(notes, why);
    return std::nullopt;
  }
  auto card = find_card(run, files.cards, notes);
  if (!card) return std::nullopt;
  const planner::Partition* const partition = partition_of(planning, point);
  PredictedCurve curve;
  curve.device = device_of(planning, partition, run, files, what);
  curve.network = network_of(curve.device, partition, what);
  curve.gpus_per_node = partition == nullptr || partition->gpus_per_node == 0
                            ? std::numeric_limits<int>::max() / 2
                            : partition->gpus_per_node;
  curve.samples = predict::train_samples(run.dataset).value_or(0);
  if (curve.samples == 0) {
    note_once(notes, fmt::format("how many samples {} has is not known: an epoch is one step "
                                 "(training.dataset.train_samples says it)",
                                 run.dataset.kind));
  }
  curve.memory =
      predict::memory_verdict(*card, run.batch_per_gpu, predict::memory_setting(run), curve.device);
  curve.card = std::move(*card);
  curve.first = std::move(run);
  return curve;
}

std::string key_of(const std::map<std::string, std::string>& axes) {
  std::string key;
  for (const auto& [name, value] : axes) key += name + "=" + value + "\n";
  return key;
}

/// Points of a curve beside one another: indices of planning.plan.runs, fewest GPUs first.
using Groups = std::map<std::string, std::vector<std::size_t>>;

Groups group(const planner::Planning& planning, std::vector<std::string>& order) {
  Groups groups;
  const auto repeats = static_cast<std::size_t>(planning.study.repeats);
  for (std::size_t i = 0; i < planning.plan.runs.size(); i += repeats) {
    std::map<std::string, std::string> axes = planning.plan.runs[i].point;
    std::erase_if(axes, [](const auto& axis) { return varies(axis.first); });
    const std::string key = key_of(axes);
    if (!groups.contains(key)) order.push_back(key);
    groups[key].push_back(i);
  }
  for (auto& [key, runs] : groups) {
    std::stable_sort(runs.begin(), runs.end(), [&](std::size_t a, std::size_t b) {
      return planning.plan.runs[a].gpus < planning.plan.runs[b].gpus;
    });
  }
  return groups;
}

/// How sure an estimate from measurements is.
predict::Factors sure_of(const predict::AllReduceEstimate& estimate) {
  constexpr double kInside = 0.05, kOutside = 0.1, kErrors = 2;
  double error = kInside;
  if (estimate.basis == predict::Basis::beyond_sizes) error = kOutside;
  if (estimate.basis == predict::Basis::beyond_gpus) {
    error = std::max(kOutside, kErrors * estimate.relative_error);
  }
  return {1 / (1 + error), 1 + error};
}

/// Of the measurements on one node or on several, as the ranks are; the exact placement first.
std::string topology_for(const contract::Calibration& calibration, predict::Placement ranks) {
  std::string named;
  for (const contract::AllReduceTime& time : calibration.all_reduce) {
    if (time.nodes == ranks.nodes && time.gpus == ranks.gpus) return time.topology;
    if ((time.nodes == 1) == (ranks.nodes == 1) && named.empty()) named = time.topology;
  }
  return named;
}

predict::LinkEstimate by_links(const PredictedCurve& curve, predict::Placement ranks,
                               predict::Bytes message) {
  constexpr predict::Factors kDataSheet{1, 2};  // nothing reaches more than its data sheet says
  return {predict::all_reduce(curve.network, ranks, message, predict::all_reduce_of(curve.first)),
          kDataSheet};
}

}  // namespace

predict::TrainingModel model_of(const PredictedStudy& study, const PredictedCurve& curve) {
  constexpr predict::Factors kRoofline{1, 3.5};  // docs/prediction.md: what was found
  predict::TrainingModel model{
      .card = curve.card,
      .computing = {.rates = predict::rates_of(curve.device, curve.first.precision),
                    .optimizer_states = predict::optimizer_states(curve.first.optimizer.kind,
                                                                  curve.first.optimizer.momentum),
                    .roofline_sure = kRoofline},
      .gpus_per_node = curve.gpus_per_node,
      .setting = predict::step_setting(curve.first)};
  if (study.calibration) {
    model.computing.measured = predict::times_of(study.calibration->compute, curve.card);
    for (const contract::ComputeTime& time : model.computing.measured) {
      model.setting.rank_deviation =
          std::max(model.setting.rank_deviation, predict::Seconds{time.deviation_s});
    }
  }
  model.all_reduce = [&study, &curve](predict::Placement ranks, predict::Bytes message) {
    if (study.all_reduces.empty()) return by_links(curve, ranks, message);
    try {
      const auto estimate =
          study.all_reduces.estimate(topology_for(*study.calibration, ranks), ranks, message);
      return predict::LinkEstimate{estimate.time, sure_of(estimate)};
    } catch (const base::UsageError&) {
      return by_links(curve, ranks, message);
    }
  };
  return model;
}

predict::CurveSetting setting_of(const PredictedCurve& curve) {
  return {.strong = curve.strong,
          .batch_per_gpu = static_cast<double>(curve.first.batch_per_gpu),
          .samples = curve.samples > 0 ? curve.samples : 1,
          .epochs = curve.first.epochs};
}

PredictedStudy predict_study(const planner::Planning& planning, const PredictionFiles& files,
                             const WhatIf& what,
                             const std::optional<contract::Calibration>& calibration) {
  PredictedStudy study{.study = planning.plan.study, .site = planning.plan.site};
  study.calibration = calibration;
  if (calibration) study.all_reduces = predict::AllReduceTable(calibration->all_reduce);
  for (const contract::Axis& axis : planning.plan.axes) {
    if (!varies(axis.name)) study.axes.push_back(axis.name);
  }
  std::vector<std::string> order;
  const Groups groups = group(planning, order);
  for (const std::string& key : order) {
    const std::vector<std::size_t>& runs = groups.at(key);
    auto curve = begin_curve(planning, runs.front(), files, what, study.notes);
    if (!curve) continue;
    std::set<int> counts;
    for (const std::size_t run : runs) counts.insert(planning.plan.runs[run].gpus);
    curve->planned.assign(counts.begin(), counts.end());
    curve->axes = planning.plan.runs[runs.front()].point;
    std::erase_if(curve->axes, [](const auto& axis) { return varies(axis.first); });
    curve->strong = planning.plan.scaling == "strong";
    study.curves.push_back(std::move(*curve));
  }
  if (!study.curves.empty()) return study;
  throw base::UsageError(
      fmt::format("nothing of {} can be predicted: {}", study.study, fmt::join(study.notes, "; ")));
}

}  // namespace dlscale::cli
