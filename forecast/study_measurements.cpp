// SPDX-License-Identifier: Apache-2.0
#include "forecast/study_measurements.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/selected_runs.hpp"
#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "analysis/store/reading/rank_reader.hpp"
#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "contract/records/model_card.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/framework_styles.hpp"
#include "predict/memory.hpp"
#include "predict/slowest_rank.hpp"
#include "predict/step_time.hpp"
#include "predict/workload.hpp"
#include "workspace/runs/plan_folder.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

using contract::StepPart;
using contract::StepWindow;

double mean_of(const StepWindow& window, StepPart part) {
  return window.parts[static_cast<std::size_t>(part)].mean;
}

std::vector<StepWindow> steady_windows(const contract::LaunchDir& launch) {
  std::vector<StepWindow> windows;
  std::error_code unreadable;
  if (!fs::exists(launch.results(), unreadable)) return windows;
  for (auto& record : contract::parse_results(base::read_file(launch.results())).records) {
    auto* const window = std::get_if<StepWindow>(&record);
    if (window == nullptr || window->warmup || window->steps < 1) continue;
    windows.push_back(std::move(*window));
  }
  return windows;
}

/// Returns the computing time of a rank in a window. Excludes `other`, because bookkeeping and
/// checkpoints do not occur in each step.
predict::StepBlock block_of(const StepWindow& window) {
  predict::StepBlock block{.steps = static_cast<double>(window.steps)};
  for (const StepPart part : {StepPart::load_wait, StepPart::h2d, StepPart::forward,
                              StepPart::backward, StepPart::optimizer}) {
    block.work_s += mean_of(window, part);
  }
  return block;
}

double alone_deviation(const std::vector<StepWindow>& windows) {
  std::vector<predict::StepBlock> blocks;
  for (const StepWindow& window : windows) blocks.push_back(block_of(window));
  return predict::step_deviation(blocks).value;
}

}  // namespace

StepScatter step_scatter(const contract::RunDir& run, int ranks) {
  std::vector<StepWindow> windows;
  for (const contract::LaunchDir& launch : run.launches()) {
    std::vector<StepWindow> found = steady_windows(launch);
    if (found.size() > windows.size()) windows = std::move(found);
  }
  if (ranks < 2) return {.deviation_s = alone_deviation(windows)};
  double steps = 0, busy = 0, waited = 0, stood = 0;
  for (const StepWindow& window : windows) {
    steps += window.steps;
    busy += window.comm_busy_s.mean;
    waited += window.comm_wait_s.mean;
    // A wait for other ranks during the backward pass does not delay the step.
    stood += std::min(window.comm_wait_s.mean, mean_of(window, StepPart::exposed_comm));
  }
  if (busy <= 0 || steps <= 0) return {};
  StepScatter scatter{.wait_s = stood / steps, .wait_share = std::min(1.0, waited / busy)};
  scatter.deviation_s = scatter.wait_s / predict::mean_largest(ranks);
  return scatter;
}

MemoryPeaks::MemoryPeaks(const contract::PlanDir& folder, planner::CardFolder& cards)
    : cards_(cards), measured_(analysis::read_peak_memory(folder)) {}

void MemoryPeaks::add(const contract::RunSpec& run, const std::vector<std::int64_t>& input) {
  const auto peak = measured_.find(run.run_id);
  if (peak == measured_.end()) return;
  const contract::ModelCard* const card = cards_.card(run);
  if (card == nullptr) return;
  const predict::MemoryParts parts = predict::peak_memory(
      *card, static_cast<double>(run.batch_per_gpu), predict::memory_setting(run));
  // Runs form one group if they differ only in settings that do not change the memory that the
  // model card states.
  contract::MemoryPeak of{.model = run.model,
                          .input = input,
                          .precision = run.precision,
                          .framework = run.framework,
                          .device = run.resources.device,
                          .loader = run.loader,
                          .dataset = run.dataset.kind,
                          .gpus = run.gpus,
                          .batch = run.batch_per_gpu,
                          .card_bytes = parts.total().value,
                          .activations_bytes = parts.activations.value,
                          .options = run.model_options};
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Repeats& each) { return each.of == of; });
  if (group == groups_.end()) {
    groups_.push_back({std::move(of), {}});
    group = std::prev(groups_.end());
  }
  group->peaks.push_back(peak->second);
}

std::vector<contract::MemoryPeak> MemoryPeaks::middles() const {
  std::vector<contract::MemoryPeak> middles;
  for (const Repeats& group : groups_) {
    middles.push_back(group.of);
    middles.back().peak_memory_bytes = analysis::median(group.peaks);
    middles.back().runs = static_cast<int>(group.peaks.size());
  }
  return middles;
}

namespace {

using contract::StepPart;
using Values = std::vector<double>;

/// Topology of all-reduces on the CPUs of one node. All ranks of the node communicate through its
/// memory, so one name applies to any number of ranks.
constexpr const char* kSharedMemory = "shared memory";

/// Run with the times of its steps.
struct MeasuredRun {
  const analysis::RunRow& row;
  contract::RunSpec spec;
  std::vector<std::int64_t> input;
  StepScatter scatter;

  double part(StepPart part) const {
    return row.steps.parts_s[static_cast<std::size_t>(part)] / static_cast<double>(row.steps.steps);
  }
  /// Returns the seconds of a step during which collectives run after all ranks have arrived.
  double exchanging_s() const {
    return row.steps.comm_busy_s / static_cast<double>(row.steps.steps) * (1 - scatter.wait_share);
  }
  int ranks_on_node() const { return (row.gpus + row.nodes - 1) / row.nodes; }
};

std::optional<std::string> value_of(const analysis::RunRow& run, const char* key) {
  const auto found = run.conditions.find(key);
  return found == run.conditions.end() ? std::nullopt : std::optional(found->second);
}

contract::ComputeTime compute_of(const MeasuredRun& run) {
  const double passes = run.spec.accumulation_steps;
  return {.model = run.spec.model,
          .input = run.input,
          .precision = run.spec.precision,
          .batch = run.spec.batch_per_gpu,
          .forward_s = run.part(StepPart::forward) / passes,
          .backward_s = run.part(StepPart::backward) / passes,
          .optimizer_s = run.part(StepPart::optimizer) + run.part(StepPart::other),
          .deviation_s = run.scatter.deviation_s / std::sqrt(passes),
          .steps = static_cast<int>(run.row.steps.steps),
          .ranks_on_node = run.ranks_on_node(),
          .framework = run.spec.framework,
          .options = run.spec.model_options};
}

/// Returns the number of all-reduces in a step, which depends on the gradients in the model card.
std::optional<double> messages_of(const MeasuredRun& run, planner::CardFolder& cards) {
  const contract::ModelCard* const card = cards.card(run.spec);
  if (card == nullptr) return std::nullopt;
  const predict::StepSetting setting = predict::step_setting(run.spec);
  if (setting.agreement != predict::Agreement::each_gradient) {
    predict::ComputeTimes none;
    none.layers.resize(card->layers.size());
    return static_cast<double>(predict::buckets_of(*card, none, setting).size());
  }
  double tensors = 0;
  for (const contract::LayerCard& layer : card->layers) tensors += layer.parameter_tensors;
  return tensors;
}

/// Returns whether all-reduces are the only collectives of a step. Only then do the recorded bytes
/// and seconds describe all-reduces. From stage 1 on, ZeRO also gathers parameters and reduces
/// gradients to their owners. Synchronised batch norms exchange statistics. A central device sends
/// and receives single messages.
bool only_reduces(const contract::RunSpec& run) {
  if (predict::step_setting(run).agreement == predict::Agreement::central) return false;
  const bool gathers = contract::framework_style(run.framework).reads("zero_stage") &&
                       run.framework_options.zero_stage > 0;
  return !gathers && run.batch_norm != "synchronised";
}

std::optional<contract::AllReduceTime> all_reduce_of(const MeasuredRun& run,
                                                     planner::CardFolder& cards) {
  if (!only_reduces(run.spec)) return std::nullopt;
  const auto messages = messages_of(run, cards);
  const auto steps = static_cast<double>(run.row.steps.steps);
  const double bytes = run.row.steps.bytes_sent / steps, busy = run.exchanging_s();
  if (!messages || *messages < 1 || bytes < *messages || busy <= 0) return std::nullopt;
  const bool in_memory = run.spec.resources.device == "cpu" && run.row.nodes == 1;
  return contract::AllReduceTime{.topology = in_memory ? kSharedMemory : "",
                                 .nodes = run.row.nodes,
                                 .gpus = run.row.gpus,
                                 .bytes = static_cast<std::int64_t>(bytes / *messages),
                                 .seconds = busy / *messages};
}

/// Measured values, grouped by the key that each member states. Each run of a group contributes one
/// value.
struct MeasuredGroups {
  std::map<std::tuple<std::string, int, int>, Values> hidden;  ///< key: framework, nodes, GPUs
  std::map<std::pair<std::string, std::string>, Values> wait;  ///< key: loader, data set
  /// Seconds of an all-reduce by topology, nodes, GPUs and bytes.
  std::map<std::tuple<std::string, int, int, std::int64_t>, Values> all_reduce;

  void add(const MeasuredRun& run, planner::CardFolder& cards) {
    const bool is_central =
        predict::step_setting(run.spec).agreement == predict::Agreement::central;
    const int loaded_ranks = is_central ? run.row.gpus : 1;  // one loader reads for all devices
    const double samples =
        static_cast<double>(run.spec.batch_per_gpu) * run.spec.accumulation_steps * loaded_ranks;
    wait[{run.spec.loader, run.spec.dataset.kind}].push_back(
        (run.part(StepPart::load_wait) + run.part(StepPart::h2d)) / samples);
    if (run.row.gpus < 2) return;
    const double busy = run.exchanging_s();
    const double exposed = run.part(StepPart::exposed_comm) - run.scatter.wait_s;
    const bool overlaps = predict::step_setting(run.spec).agreement == predict::Agreement::buckets;
    if (overlaps && busy > 0) {
      hidden[{run.spec.framework, run.row.nodes, run.row.gpus}].push_back(
          std::clamp(1 - exposed / busy, 0.0, 1.0));
    }
    if (const auto time = all_reduce_of(run, cards)) {
      all_reduce[{time->topology, time->nodes, time->gpus, time->bytes}].push_back(time->seconds);
    }
  }

  void into(contract::Calibration& calibration) const {
    for (const auto& [key, values] : hidden) {
      const auto interval = analysis::interval_of_median(values);
      calibration.exchange.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key),
                                      analysis::median(values), interval.low, interval.high,
                                      static_cast<int>(values.size())});
    }
    for (const auto& [key, values] : wait) {
      const auto interval = analysis::interval_of_median(values);
      calibration.loading.push_back({key.first, key.second, analysis::median(values), interval.low,
                                     interval.high, static_cast<int>(values.size())});
    }
    for (const auto& [key, values] : all_reduce) {
      const auto& [topology, nodes, gpus, bytes] = key;
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      calibration.all_reduce.push_back({topology, nodes, gpus, bytes, analysis::median(values),
                                        *low, *high, static_cast<int>(values.size())});
    }
  }
};

std::optional<MeasuredRun> measured(const analysis::RunRow& row, const contract::PlanDir& folder,
                                    contract::RunTables& tables) {
  if (!analysis::has_throughput(row)) return std::nullopt;
  MeasuredRun run{row, workspace::read_run(folder, tables, row.run_id), {}, {}};
  // The recorded times are means over ranks with different numbers of samples.
  if (!run.spec.uneven_batch.empty()) return std::nullopt;
  const auto shape = predict::sample_shape(run.spec.dataset);
  if (!shape || !run.spec.mode.empty() || !predict::not_modelled(run.spec).empty()) {
    return std::nullopt;
  }
  // Logs of other trainers do not contain the time of the forward pass.
  if (run.part(StepPart::forward) <= 0) return std::nullopt;
  run.input = shape->input;
  run.scatter = step_scatter(folder.run(row.run_id), row.gpus);
  return run;
}

}  // namespace

StudyMeasurements study_measurements(const contract::PlanDir& folder,
                                     const workspace::SelectionChoice& runs,
                                     const fs::path& cards) {
  const contract::Plan plan = contract::read_plan(folder);
  analysis::Frame frame = analysis::read_frame(folder);
  if (runs.narrows()) keep_runs(frame, workspace::select_runs(plan, runs), frame.baseline);
  contract::RunTables tables(plan, folder);
  StudyMeasurements found;
  MeasuredGroups groups;
  planner::CardFolder card_folder(cards);
  MemoryPeaks memory(folder, card_folder);
  for (const analysis::RunRow& row : frame.runs) {
    const auto run = measured(row, folder, tables);
    if (!run) {
      ++found.passed_over;
      continue;
    }
    ++found.runs;
    found.calibration.compute.push_back(compute_of(*run));
    groups.add(*run, card_folder);
    if (predict::memory_not_modelled(run->spec).empty()) {
      memory.add(run->spec, run->input);
    }
    if (found.calibration.device.empty()) {
      const bool on_cpu = run->spec.resources.device == "cpu";
      found.calibration.device = value_of(row, on_cpu ? "cpu" : "gpu").value_or("");
      found.calibration.communicator = run->spec.resources.communicator;
    }
  }
  groups.into(found.calibration);
  found.calibration.memory = memory.middles();
  return found;
}

}  // namespace dlscale::forecast
