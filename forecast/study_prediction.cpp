// SPDX-License-Identifier: Apache-2.0
#include "forecast/study_prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "contract/run_spec/framework_styles.hpp"
#include "contract/run_spec/run_id.hpp"
#include "planner/jobs/data_folders.hpp"
#include "planner/site/device_reader.hpp"
#include "predict/walltime.hpp"
#include "predict/workload.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

void note_once(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

/// Returns a message that explains why there is no card for a run's model and data, and how to
/// create the card.
std::string without_card(const contract::RunSpec& run, const fs::path& folder) {
  const auto shape = predict::sample_shape(run.dataset);
  if (!shape) {
    return fmt::format("the input of {} from the data set {} is unknown: no prediction", run.model,
                       run.dataset.kind);
  }
  const std::string precision = predict::card_precision(run.precision);
  const std::string name = predict::card_file_name(run, *shape);
  std::string settings;
  for (auto [option, value] : contract::given_options(run.model_options)) {
    std::ranges::replace(option, '_', '-');
    settings += fmt::format(" --{} {}", option, value);
  }
  if (precision != "fp32") settings += " --precision " + precision;
  return fmt::format(
      "there is no model card {}: create it with dlscale-train --describe {} --input {} --classes "
      "{}{} > {}",
      name, run.model, contract::shape_text(shape->input), shape->classes, settings,
      (folder / name).string());
}

/// Returns the partition that the plan assigns to the runs of a point, or null for a site without
/// partitions.
const planner::Partition* partition_of(const planner::Planning& planning, std::size_t point) {
  const int index = planning.allocations[point].partition;
  return index < 0 ? nullptr : &planning.site.partitions[static_cast<std::size_t>(index)];
}

/// Inputs that a prediction needs in addition to the plan.
struct Given {
  const PredictionFiles& files;
  const HardwareOverride& what;
  const predict::Measurements* measured;
  planner::CardFolder cards{files.cards};
  planner::DeviceFolder devices{files.devices};
};

bool has_steps(const Given& given, const contract::ModelCard& card, const std::string& precision) {
  return given.measured != nullptr &&
         !predict::times_of(given.measured->calibration().compute, card, precision).empty();
}

predict::Device find_device(const planner::Planning& planning, const planner::Partition* partition,
                            const contract::RunSpec& run, const contract::ModelCard& card,
                            Given& given) {
  const std::string name =
      !given.what.gpu.empty() ? given.what.gpu : (partition == nullptr ? "" : partition->gpu);
  if (!name.empty()) return given.devices.named(name);
  if (has_steps(given, card, run.precision)) {
    return predict::measured_device(given.measured->calibration(), run.precision);
  }
  throw base::UsageError(fmt::format(
      "the site {} does not name its GPU: set gpu = \"NAME\" in its partition{}, use --what-if "
      "gpu=NAME (known devices: {}), or give a --calibration with measured steps of {}",
      planning.site.name, partition == nullptr ? "" : " " + partition->name,
      fmt::join(planner::devices_in(given.files.devices), ", "), run.model));
}

predict::Device device_of(const planner::Planning& planning, const planner::Partition* partition,
                          const contract::RunSpec& run, const contract::ModelCard& card,
                          Given& given) {
  const HardwareOverride& what = given.what;
  predict::Device device = find_device(planning, partition, run, card, given);
  if (what.peak) device.peak[run.precision] = *what.peak;
  if (what.memory) device.memory_bandwidth = *what.memory;
  if (what.capacity) device.memory = *what.capacity;
  if (what.context) device.context = *what.context;
  return device;
}

predict::Hardware hardware_in(const planner::Site& site, const planner::Partition* partition,
                              predict::Device device, const HardwareOverride& what) {
  predict::Hardware hardware = planner::hardware_of(std::move(device), partition);
  hardware.site = site.name;
  if (what.link) hardware.network.between.bandwidth = *what.link;
  if (what.latency) hardware.network.between.latency = *what.latency;
  hardware.other_link = what.link || what.latency;
  return hardware;
}

/// Returns why the calibration does not apply to a device. Returns an empty text if the calibration
/// applies or if there is none.
std::string other_device(const Given& given, const predict::Device& device) {
  if (given.measured == nullptr) return "";
  const std::string why = predict::not_measured_on(given.measured->calibration(), device);
  return why.empty() ? ""
                     : why + ": no prediction (use --calibration none to predict from data sheets)";
}

/// Stores in `curve` the measured memory that the card does not include. For processes on CPUs, the
/// part that does not grow with the activations is the context of a process. A context that the
/// user gave has priority.
void take_held_memory(PredictedCurve& curve, const Given& given) {
  if (!predict::memory_not_modelled(curve.first).empty()) return;
  predict::Device& device = curve.hardware.device;
  // Measurements of ranks on CPUs do not apply to a GPU that the partition names.
  const bool elsewhere = is_of_process(curve) && !predict::is_measured_alone(device);
  if (given.measured == nullptr || elsewhere) return;
  curve.held = predict::held_memory(given.measured->calibration().memory, curve.first, curve.card);
  if (is_of_process(curve) && curve.held.runs > 0 && !given.what.context) {
    device.context = curve.held.beyond.start;
  }
}

/// Returns a curve with the description, model card and hardware of the run with the fewest GPUs.
/// Returns nothing and adds a note if the run cannot be predicted.
std::optional<PredictedCurve> begin_curve(const planner::Planning& planning, std::size_t first_run,
                                          Given& given, std::vector<std::string>& notes) {
  contract::RunSpec run = planning.run(first_run);
  const std::size_t point = first_run / static_cast<std::size_t>(planning.study.repeats);
  if (const std::string why = predict::not_modelled(run); !why.empty()) {
    note_once(notes, why);
    return std::nullopt;
  }
  for (std::string& note : predict::not_counted(run)) note_once(notes, std::move(note));
  const contract::ModelCard* const card = given.cards.card(run);
  if (card == nullptr) {
    note_once(notes, without_card(run, given.files.cards));
    return std::nullopt;
  }
  const planner::Partition* const partition = partition_of(planning, point);
  const bool named = !given.what.gpu.empty() || (partition != nullptr && !partition->gpu.empty());
  if (!named && given.measured != nullptr && !has_steps(given, *card, run.precision)) {
    note_once(
        notes,
        fmt::format("the calibration has no measured step of {} on input {} in {}: no prediction",
                    contract::model_text(run.model, run.model_options),
                    contract::shape_text(card->input), run.precision));
    return std::nullopt;
  }
  predict::Device device = device_of(planning, partition, run, *card, given);
  if (const std::string why = other_device(given, device); !why.empty()) {
    note_once(notes, why);
    return std::nullopt;
  }
  if (named && given.measured != nullptr && given.measured->calibration().device.empty()) {
    note_once(notes,
              "the calibration does not name its device, which is assumed to be " + device.title);
  }
  PredictedCurve curve;
  curve.hardware = hardware_in(planning.site, partition, std::move(device), given.what);
  const bool trains = run.mode.empty();
  curve.samples =
      trains ? predict::train_samples(run.dataset).value_or(0) : run.dataset.test_samples;
  if (curve.samples == 0) {
    note_once(notes, fmt::format("the number of {} samples in {} is unknown: an epoch counts as "
                                 "one step (set training.dataset.{}_samples)",
                                 trains ? "training" : "test", run.dataset.kind,
                                 trains ? "train" : "test"));
  }
  curve.card = *card;
  curve.first = std::move(run);
  take_held_memory(curve, given);
  return curve;
}

/// Removes the GPU counts without a measured all-reduce, if the device has no data sheet.
void keep_measured(PredictedCurve& curve, const Given& given, std::vector<std::string>& notes) {
  const predict::Hardware& hardware = curve.hardware;
  if (!predict::is_measured_alone(hardware.device)) return;
  const predict::StepSetting setting = predict::step_setting(curve.first);
  const auto unknown_exchange = [&](predict::Placement ranks) {
    if (hardware.other_link && ranks.nodes > 1) {
      // The time is infinite if the link within a node is unknown.
      return !std::isfinite(predict::all_reduce(hardware.network, ranks, predict::kMebibyte).value);
    }
    return !given.measured->all_reduce(ranks, predict::kMebibyte);
  };
  const auto unknown = [&](int gpus) {
    const auto needed =
        predict::exchange_placements(setting, predict::placement(gpus, hardware.gpus_per_node));
    return std::any_of(needed.begin(), needed.end(), unknown_exchange);
  };
  for (const int gpus : curve.planned) {
    if (!unknown(gpus)) continue;
    const int nodes = predict::placement(gpus, hardware.gpus_per_node).nodes;
    note_once(
        notes,
        hardware.other_link && nodes > 1
            ? fmt::format(
                  "the link differs from the measured link, and the partition names neither its "
                  "GPU nor the connection within a node: no prediction for {} ranks on {} nodes",
                  gpus, nodes)
            : fmt::format("the calibration has no all-reduce that applies to {} ranks on {} nodes: "
                          "no prediction (name the interconnect with dlscale calibrate --topology "
                          "to extrapolate from other GPU counts)",
                          gpus, nodes));
  }
  std::erase_if(curve.planned, unknown);
  std::erase_if(curve.points, [&](const auto& point) { return unknown(point.first); });
}

std::string key_of(const std::map<std::string, std::string>& axes) {
  std::string key;
  for (const auto& [name, value] : axes) key += name + "=" + value + "\n";
  return key;
}

/// Returns whether the runs of a curve keep the global batch constant (strong scaling). The global
/// batch counts as constant if it grows by less than the square root of the growth of the GPU
/// count. This tolerance allows for batches that were rounded because they do not divide evenly. A
/// curve with a single GPU count is strong if the study is strong, or if the study has an axis of
/// global batches.
bool is_strong(const contract::PlannedRun& first, const contract::PlannedRun& last,
               const std::string& scaling) {
  if (first.gpus == last.gpus) return scaling == "strong" || first.point.contains("global_batch");
  const double grown =
      static_cast<double>(last.global_batch) / static_cast<double>(first.global_batch);
  return grown * grown * first.gpus < last.gpus;
}

predict::Share share_of(const contract::PlannedRun& run) {
  // The step time is that of the GPU with the most samples if the parts of the batch differ.
  const std::int64_t one_pass = run.batch_per_gpu * run.gpus;
  return {static_cast<double>(run.batch_per_gpu),
          static_cast<int>((run.global_batch + one_pass - 1) / one_pass),
          run.uneven_batch.empty() ? 0 : static_cast<double>(run.global_batch)};
}

/// Returns the scaling ("strong", "weak", …) of the study or sub-study that contains a run.
const std::string& scaling_of(const planner::Planning& planning, std::size_t run) {
  const std::size_t point = run / static_cast<std::size_t>(planning.study.repeats);
  return planning.study.matrices[planning.expansion.points[point].matrix].scaling;
}

/// Returns "inference" for a run that only runs forward passes, and an empty text for training.
const std::string& mode_of(const planner::Planning& planning, std::size_t run) {
  return planning.expansion.points[run / static_cast<std::size_t>(planning.study.repeats)].run.mode;
}

/// Returns a text that is equal for runs on equal hardware. Runs on different hardware form
/// different curves.
std::string hardware_key(const planner::Partition* partition) {
  if (partition == nullptr) return "";
  return fmt::format("{} {} {} {} {}", partition->gpu, partition->gpus_per_node,
                     partition->link_gbit_s, partition->link_latency_us,
                     partition->link_all_reduce);
}

/// Throws base::UsageError if the user changed the peak or the memory bandwidth, but computing
/// times come from measured steps, which cannot be converted.
void check_rates(const StudyPrediction& study, const PredictedCurve& curve,
                 const HardwareOverride& what) {
  if (!what.peak && !what.memory) return;
  const std::string why = predict::fixed_rates(model_of(study, curve));
  if (why.empty()) return;
  throw base::UsageError((what.peak ? "--what-if peak: " : "--what-if memory: ") + why);
}

/// Runs of each curve by the key of the curve. A run is an index into planning.plan.runs. The runs
/// are sorted by GPU count.
using Groups = std::map<std::string, std::vector<std::size_t>>;

Groups group(const planner::Planning& planning, std::vector<std::string>& order) {
  Groups groups;
  const auto repeats = static_cast<std::size_t>(planning.study.repeats);
  for (std::size_t i = 0; i < planning.plan.runs.size(); i += repeats) {
    std::map<std::string, std::string> axes = planning.plan.runs[i].point;
    std::erase_if(axes, [](const auto& axis) { return varies_on_curve(axis.first); });
    // A strong curve can have the same axis values as a weak curve.
    const bool strong = scaling_of(planning, i) == "strong";
    const std::string key = key_of(axes) + (strong ? "strong\n" : "weak\n") + mode_of(planning, i) +
                            "\n" + hardware_key(partition_of(planning, i / repeats));
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

/// Adds the values of the runs to a curve: GPU counts, the work of a rank in a step, and ids of
/// points.
void add_runs(const planner::Planning& planning, const std::vector<std::size_t>& runs,
              PredictedCurve& curve) {
  std::set<int> counts;
  for (const std::size_t run : runs) {
    const contract::PlannedRun& planned = planning.plan.runs[run];
    counts.insert(planned.gpus);
    curve.shares[planned.gpus] = share_of(planned);
    curve.points.emplace_back(planned.gpus, contract::point_id(planned.run_id));
  }
  curve.planned.assign(counts.begin(), counts.end());
}

/// Returns the GPU counts of the curve for which the time of an all-reduce is known. The counts are
/// the planned counts, followed by doubled counts up to `up_to`.
std::vector<int> shown_counts(const predict::TrainingModel& model, const PredictedCurve& curve,
                              int up_to) {
  // Without a data sheet, measured steps do not extend to larger GPU counts.
  if (predict::is_measured_alone(curve.hardware.device)) return curve.planned;
  std::vector<int> counts = curve.planned;
  for (const int count : predict::doubled_counts(1, up_to)) {
    if (count > counts.back()) counts.push_back(count);
  }
  std::erase_if(counts, [&](int count) {
    const predict::Placement ranks = predict::placement(count, model.gpus_per_node);
    if (is_one_process(curve.first) && ranks.nodes > 1) return true;
    const auto needed = predict::exchange_placements(model.setting, ranks);
    return std::any_of(needed.begin(), needed.end(), [&](predict::Placement pair) {
      return !std::isfinite(model.all_reduce(pair, predict::kMebibyte).time.value);
    });
  });
  return counts;
}

/// Returns the predicted points of a curve. If the number of samples in an epoch is unknown, an
/// epoch counts as one step.
std::vector<predict::CurvePoint> curve_points(const predict::TrainingModel& model,
                                              const PredictedCurve& curve, int up_to) {
  const predict::CurveSetting setting{.strong = curve.strong,
                                      .samples = curve.samples > 0 ? curve.samples : 1,
                                      .drops_last = curve.first.last_batch == "drop",
                                      .epochs = curve.first.mode.empty() ? curve.first.epochs : 1,
                                      .steps = curve.first.steps,
                                      .shares = curve.shares};
  return predict::scaling_curve(model, setting, shown_counts(model, curve, up_to));
}

}  // namespace

bool is_one_process(const contract::RunSpec& run) {
  return contract::framework_style(run.framework).processes == contract::Processes::one;
}

bool varies_on_curve(const std::string& axis) {
  return axis == "gpus" || axis == "lr.base" || axis == "lr_schedule";
}

predict::TrainingModel model_of(const StudyPrediction& study, const PredictedCurve& curve) {
  return predict::training_model(curve.first, curve.card, curve.hardware, study.measured.get());
}

std::vector<contract::ComputeTime> measured_steps(const StudyPrediction& study,
                                                  const PredictedCurve& curve) {
  if (study.measured == nullptr) return {};
  return predict::times_of(study.measured->calibration().compute, curve.card,
                           curve.first.precision);
}

bool is_of_process(const PredictedCurve& curve) {
  return curve.first.resources.device == "cpu";
}

predict::MemorySetting memory_setting_at(const PredictedCurve& curve, int gpus, int passes) {
  contract::RunSpec run = curve.first;
  run.gpus = gpus;
  run.accumulation_steps = passes;
  predict::MemorySetting setting = predict::memory_setting(run);
  setting.beyond = curve.held.beyond;
  // The context of a process already includes this memory.
  if (is_of_process(curve)) setting.beyond.start = {};
  return setting;
}

StudyPrediction predict_study(const planner::Planning& planning, const PredictionFiles& files,
                              const HardwareOverride& what,
                              std::shared_ptr<const predict::Measurements> measured, int up_to) {
  StudyPrediction study{.study = planning.plan.study, .site = planning.plan.site};
  study.measured = std::move(measured);
  Given given{files, what, study.measured.get()};
  if (study.measured != nullptr && (what.link || what.latency)) {
    study.notes.emplace_back(
        "all-reduces over several nodes are predicted from the requested link, not from "
        "measurements");
  }
  std::vector<std::string> order;
  const Groups groups = group(planning, order);
  for (const std::string& key : order) {
    const std::vector<std::size_t>& runs = groups.at(key);
    auto curve = begin_curve(planning, runs.front(), given, study.notes);
    if (!curve) continue;
    add_runs(planning, runs, *curve);
    keep_measured(*curve, given, study.notes);
    if (curve->planned.empty()) continue;
    curve->axes = planning.plan.runs[runs.front()].point;
    std::erase_if(curve->axes, [](const auto& axis) { return varies_on_curve(axis.first); });
    const auto* const partition =
        partition_of(planning, runs.front() / static_cast<std::size_t>(planning.study.repeats));
    if (partition != nullptr) curve->axes["partition"] = partition->name;
    if (!curve->first.mode.empty()) curve->axes["mode"] = curve->first.mode;
    check_rates(study, *curve, what);
    curve->strong = is_strong(planning.plan.runs[runs.front()], planning.plan.runs[runs.back()],
                              scaling_of(planning, runs.front()));
    curve->over_gpus = curve_points(model_of(study, *curve), *curve, up_to);
    study.curves.push_back(std::move(*curve));
  }
  if (study.curves.empty()) {
    throw base::UsageError(fmt::format("no run of {} can be predicted: {}", study.study,
                                       fmt::join(study.notes, "; ")));
  }
  std::vector<std::string> names;
  for (const contract::Axis& axis : planning.plan.axes) {
    if (!varies_on_curve(axis.name)) names.push_back(axis.name);
  }
  // The mode and the partition are shown if no other axis distinguishes the curves.
  names.emplace_back("mode");
  names.emplace_back("partition");
  study.axes = telling_axes(names, study.curves);
  return study;
}

namespace {

/// Returns the value of an axis, or an empty text if the runs of the curve lack the axis. The axis
/// "model" always has a value.
std::string axis_value(const PredictedCurve& curve, const std::string& axis) {
  const auto found = curve.axes.find(axis);
  if (found != curve.axes.end()) return found->second;
  return axis == "model" ? curve.first.model : std::string();
}

}  // namespace

std::vector<std::string> telling_axes(const std::vector<std::string>& names,
                                      const std::vector<PredictedCurve>& curves) {
  std::vector<std::string> axes;
  for (const std::string& axis : names) {
    // Values of `axis`, by the values of `axes`.
    std::map<std::vector<std::string>, std::set<std::string>> values;
    bool any_has = false, any_lacks = false;
    for (const PredictedCurve& curve : curves) {
      std::vector<std::string> before;
      for (const std::string& known : axes) before.push_back(axis_value(curve, known));
      const std::string own = axis_value(curve, axis);
      (own.empty() ? any_lacks : any_has) = true;
      values[std::move(before)].insert(own);
    }
    const bool differs = std::any_of(values.begin(), values.end(),
                                     [](const auto& group) { return group.second.size() > 1; });
    // A sub-study may have an axis that another sub-study lacks. The curves of both sub-studies
    // then need a label.
    if (differs || (any_has && any_lacks)) axes.push_back(axis);
  }
  if (axes.empty()) axes.emplace_back("model");
  return axes;
}

analysis::Table curves_table(const StudyPrediction& study, const std::string& id,
                             const std::string& title) {
  analysis::Table table{.id = id, .title = title + " of " + study.study + " on " + study.site};
  for (const std::string& axis : study.axes) table.columns.push_back({axis, axis});
  return table;
}

std::vector<analysis::Cell> beginning(const StudyPrediction& study, const PredictedCurve& curve) {
  std::vector<analysis::Cell> row;
  for (const std::string& axis : study.axes) {
    const std::string value = axis_value(curve, axis);
    row.push_back(value.empty() ? analysis::Cell{} : analysis::Cell{value});
  }
  return row;
}

std::string label_of(const StudyPrediction& study, const PredictedCurve& curve) {
  std::string label;
  for (const std::string& axis : study.axes) {
    const std::string value = axis_value(curve, axis);
    if (!value.empty()) label += (label.empty() ? "" : " ") + value;
  }
  return label;
}

}  // namespace dlscale::forecast
