// SPDX-License-Identifier: Apache-2.0
#include "cli/predicted_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_id.hpp"
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

/// What a prediction is made of beside the plan.
struct Given {
  const PredictionFiles& files;
  const WhatIf& what;
  const predict::Measurements* measured;
};

predict::Device find_device(const planner::Planning& planning, const planner::Partition* partition,
                            const contract::RunSpec& run, const contract::ModelCard& card,
                            const Given& given) {
  const std::string name =
      !given.what.gpu.empty() ? given.what.gpu : (partition == nullptr ? "" : partition->gpu);
  if (!name.empty()) return planner::find_device(name, given.files.devices);
  if (given.measured != nullptr &&
      !predict::times_of(given.measured->calibration().compute, card).empty()) {
    return predict::measured_device(given.measured->calibration(), run.precision);
  }
  throw base::UsageError(fmt::format(
      "the site {} does not say which GPU it has: write gpu = \"NAME\" into its partition{}, ask "
      "with --what-if gpu=NAME (there are: {}), or give a --calibration with measured steps of {}",
      planning.site.name, partition == nullptr ? "" : " " + partition->name,
      fmt::join(planner::devices_in(given.files.devices), ", "), run.model));
}

predict::Device device_of(const planner::Planning& planning, const planner::Partition* partition,
                          const contract::RunSpec& run, const contract::ModelCard& card,
                          const Given& given) {
  const WhatIf& what = given.what;
  predict::Device device = find_device(planning, partition, run, card, given);
  if (what.peak) device.peak[run.precision] = *what.peak;
  if (what.memory) device.memory_bandwidth = *what.memory;
  if (what.capacity) device.memory = *what.capacity;
  if (what.context) device.context = *what.context;
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
                                          const Given& given, std::vector<std::string>& notes) {
  contract::RunSpec run = planning.run(first_run);
  const std::size_t point = first_run / static_cast<std::size_t>(planning.study.repeats);
  if (const std::string why = predict::not_modelled(run); !why.empty()) {
    note_once(notes, why);
    return std::nullopt;
  }
  auto card = find_card(run, given.files.cards, notes);
  if (!card) return std::nullopt;
  const planner::Partition* const partition = partition_of(planning, point);
  const bool named = !given.what.gpu.empty() || (partition != nullptr && !partition->gpu.empty());
  if (!named && given.measured != nullptr &&
      predict::times_of(given.measured->calibration().compute, *card).empty()) {
    note_once(notes, fmt::format("the calibration has no step of {} on {}: no prediction",
                                 run.model, contract::shape_text(card->input)));
    return std::nullopt;
  }
  PredictedCurve curve;
  curve.device = device_of(planning, partition, run, *card, given);
  curve.network = network_of(curve.device, partition, given.what);
  curve.gpus_per_node = partition == nullptr || partition->gpus_per_node == 0
                            ? std::numeric_limits<int>::max() / 2
                            : partition->gpus_per_node;
  curve.samples = predict::train_samples(run.dataset).value_or(0);
  if (curve.samples == 0) {
    note_once(notes, fmt::format("how many samples {} has is not known: an epoch is one step "
                                 "(training.dataset.train_samples says it)",
                                 run.dataset.kind));
  }
  if (curve.device.memory.value > 0) {
    curve.memory = predict::memory_verdict(*card, run.batch_per_gpu, predict::memory_setting(run),
                                           curve.device);
  }
  curve.card = std::move(*card);
  curve.first = std::move(run);
  return curve;
}

/// Leaves out GPU counts of a device without data sheet between which no all-reduce was measured.
void keep_measured(PredictedCurve& curve, const Given& given, std::vector<std::string>& notes) {
  if (!predict::is_measured_alone(curve.device)) return;
  const auto unknown = [&](int gpus) {
    const predict::Placement ranks{(gpus - 1) / curve.gpus_per_node + 1, gpus};
    return gpus > 1 && !given.measured->all_reduce(ranks, predict::kMebibyte);
  };
  for (const int gpus : curve.planned) {
    if (!unknown(gpus)) continue;
    note_once(notes, fmt::format("the calibration has no all-reduce that says anything of {} ranks "
                                 "on {} nodes: no prediction (dlscale calibrate --topology names "
                                 "what is connected alike)",
                                 gpus, (gpus - 1) / curve.gpus_per_node + 1));
  }
  std::erase_if(curve.planned, unknown);
  std::erase_if(curve.points, [&](const auto& point) { return unknown(point.first); });
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

}  // namespace

predict::TrainingModel model_of(const PredictedStudy& study, const PredictedCurve& curve) {
  return predict::training_model(curve.first, curve.card,
                                 {curve.device, curve.network, curve.gpus_per_node},
                                 study.measured.get());
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
  if (calibration) study.measured = std::make_shared<const predict::Measurements>(*calibration);
  const Given given{files, what, study.measured.get()};
  for (const contract::Axis& axis : planning.plan.axes) {
    if (!varies(axis.name)) study.axes.push_back(axis.name);
  }
  std::vector<std::string> order;
  const Groups groups = group(planning, order);
  for (const std::string& key : order) {
    const std::vector<std::size_t>& runs = groups.at(key);
    auto curve = begin_curve(planning, runs.front(), given, study.notes);
    if (!curve) continue;
    std::set<int> counts;
    for (const std::size_t run : runs) {
      const contract::PlannedRun& planned = planning.plan.runs[run];
      counts.insert(planned.gpus);
      curve->points.emplace_back(planned.gpus, contract::point_id(planned.run_id));
    }
    curve->planned.assign(counts.begin(), counts.end());
    keep_measured(*curve, given, study.notes);
    if (curve->planned.empty()) continue;
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
