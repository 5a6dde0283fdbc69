// SPDX-License-Identifier: Apache-2.0
// Builds the quantities of a proposal that describe the requested study: job sizes, the derivation
// of the request, its total and the storage.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/proposal/proposal_parts.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

using contract::PredictedValue;

constexpr double kBytesOfGb = 1e9;

/// Returns the number of decimals with which `value` has three significant digits, from 0 to 6.
int proposal_decimals(double value) {
  if (!(value > 0)) return 2;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(value))), 0, 6);
}

Absent no_request() {
  return {"The study for which computing time is requested was not named.", {kRequestCommand}};
}

bool all_runs_timed(const RequestedStudy& request) {
  return std::all_of(request.runs.begin(), request.runs.end(),
                     [](const RequestedRun& run) { return run.time_s.value > 0; });
}

/// Returns the reason why the request cannot be computed, and the commands that help.
Absent no_times(const RequestedStudy& request) {
  const auto known = std::count_if(request.runs.begin(), request.runs.end(),
                                   [](const RequestedRun& run) { return run.time_s.value > 0; });
  std::string reason =
      known == 0
          ? fmt::format("The run times of {} on {} are not predicted", request.study, request.site)
          : fmt::format("The run times of {} of {} runs of {} are not predicted",
                        request.runs.size() - static_cast<std::size_t>(known), request.runs.size(),
                        request.study);
  const UntimedReason& why = request.why_unpredicted;
  reason += why.text.empty() ? "." : ": " + why.text + ".";
  const std::string command = kRequestCommand;
  if (request.is_external) {
    switch (why.cause) {
      case UntimedReason::Cause::no_samples:
        return {reason,
                {command + " -S training.dataset.train_samples=N    # N samples in each epoch"}};
      case UntimedReason::Cause::no_length:
        return {reason, {command + " -S training.steps=N    # N optimizer steps in each run"}};
      case UntimedReason::Cause::other:
        return {reason, {command + " --calibration rates.toml    # your own rows [[throughput]]"}};
    }
  }
  return {reason,
          {"dlscale calibrate RESULTS -o calibration.json",
           command + " --calibration calibration.json"}};
}

PredictedValue resource_hours(const PredictedValue& time_s, double resources) {
  const double scale = resources / kHour;
  return {time_s.value * scale, time_s.low * scale, time_s.high * scale};
}

void add_band(PredictedValue& sum, const PredictedValue& value) {
  sum.value += value.value;
  sum.low += value.low;
  sum.high += value.high;
}

/// Returns the number of nodes, GPUs or cores for which a run is charged, as `per` counts them.
double resources_of(const RequestedRun& run, const std::string& per) {
  if (per == "gpu-h") return run.charged_gpus;
  if (per == "core-h") return run.cores;
  return run.nodes;
}

using RunPointers = std::vector<const RequestedRun*>;

RunPointers all_runs(const RequestedStudy& request) {
  RunPointers runs;
  for (const RequestedRun& run : request.runs) runs.push_back(&run);
  return runs;
}

PredictedValue request_sum(const RunPointers& runs, const std::string& per) {
  PredictedValue sum;
  for (const RequestedRun* run : runs) {
    add_band(sum, resource_hours(run->time_s, resources_of(*run, per)));
  }
  return sum;
}

Cell band_cell(const PredictedValue& value) {
  return Bounds{value.low, value.high};
}

/// Adds a column of predicted values and a column with their bands.
void add_band_columns(Table& table, Column column) {
  table.columns.push_back(column);
  column.title = "band";
  column.bounds = true;
  table.columns.push_back(std::move(column));
}

/// Sets the decimals of all columns from `first` on, so that the smallest number of a column has
/// three significant digits. A column of bounds gets the decimals of the column before it.
void set_decimals(Table& table, std::size_t first) {
  for (std::size_t i = first; i < table.columns.size(); ++i) {
    if (table.columns[i].bounds) {
      table.columns[i].decimals = table.columns[i - 1].decimals;
      continue;
    }
    double least = 0;
    for (const std::vector<Cell>& row : table.rows) {
      const double value = std::get<double>(row[i]) * table.columns[i].scale;
      if (value > 0 && (least == 0 || value < least)) least = value;
    }
    table.columns[i].decimals = proposal_decimals(least);
  }
}

std::string band_text(const PredictedValue& value, const std::string& unit) {
  return fmt::format("{} {} (band {} to {})", proposal_number(value.value), unit,
                     proposal_number(value.low), proposal_number(value.high));
}

// Job sizes.

/// GPU count of requested runs, with its names in the table of job sizes.
struct JobSize {
  std::vector<const char*> names;  ///< minimum, typical, maximum
  int gpus = 1;
};

/// Returns the smallest, the median and the largest GPU count of the runs. Equal counts share one
/// entry.
std::vector<JobSize> sizes_of(const RequestedStudy& request) {
  std::vector<int> counts;
  for (const RequestedRun& run : request.runs) counts.push_back(run.gpus);
  std::sort(counts.begin(), counts.end());
  std::vector<JobSize> sizes;
  for (const auto& [name, gpus] : {std::pair{"minimum", counts.front()},
                                   {"typical", counts[(counts.size() - 1) / 2]},
                                   {"maximum", counts.back()}}) {
    if (sizes.empty() || sizes.back().gpus != gpus) sizes.push_back({{}, gpus});
    sizes.back().names.push_back(name);
  }
  return sizes;
}

/// Returns the run on `gpus` GPUs whose `value` has the highest upper edge of its band. The value
/// is 0 if it is not predicted.
const RequestedRun& largest_run(const RequestedStudy& request, int gpus,
                                PredictedValue RequestedRun::*value) {
  const RequestedRun* found = nullptr;
  for (const RequestedRun& run : request.runs) {
    if (run.gpus != gpus) continue;
    if (found == nullptr || (run.*value).high > (found->*value).high) found = &run;
  }
  return *found;
}

// Derivation of the request.

/// Largest number of rows of the table that derives the request. If there are more groups of runs,
/// each row adds up all runs of a size.
constexpr std::size_t kMostRequestRows = 30;

/// Runs with the same resources and the same predicted time.
using RunGroups = std::map<std::tuple<int, int, int, int, double, double, double>, RunPointers>;

/// Returns the groups of runs. With `by_size`, runs with different times form one group.
RunGroups run_groups(const RequestedStudy& request, bool by_size) {
  RunGroups groups;
  for (const RequestedRun& run : request.runs) {
    const PredictedValue time = by_size ? PredictedValue{} : run.time_s;
    groups[{run.gpus, run.nodes, run.charged_gpus, run.cores, time.value, time.low, time.high}]
        .push_back(&run);
  }
  return groups;
}

std::string point_value(const RequestedRun& run, const std::string& axis) {
  const auto found = run.point.find(axis);
  return found == run.point.end() ? "" : found->second;
}

bool has_one_value(const RunPointers& runs, const std::string& axis) {
  return std::all_of(runs.begin(), runs.end(), [&](const RequestedRun* run) {
    return point_value(*run, axis) == point_value(*runs.front(), axis);
  });
}

/// Returns the axis values that all runs of a group share and that vary in the study, such as
/// "model=resnet50, loader=native". Returns "all" if there are no such values.
std::string configuration_of(const RunPointers& runs, const RequestedStudy& request) {
  const RunPointers all = all_runs(request);
  std::vector<std::string> values;
  for (const std::string& axis : request.axes) {
    if (axis == kGpus || has_one_value(all, axis) || !has_one_value(runs, axis)) continue;
    values.push_back(axis_text(axis, point_value(*runs.front(), axis)));
  }
  return values.empty() ? "all" : fmt::format("{}", fmt::join(values, ", "));
}

std::string run_bytes_text(const std::vector<double>& bytes) {
  constexpr double kMega = 1e6;
  const auto [low, high] = std::minmax_element(bytes.begin(), bytes.end());
  return fmt::format("{} MB to {} MB, median {} MB", proposal_number(*low / kMega),
                     proposal_number(*high / kMega), proposal_number(median(bytes) / kMega));
}

/// Returns the reason why the storage of the requested runs cannot be derived from the measured
/// runs. Returns an empty text if each requested run has a measured model and is no longer than the
/// longest measured run.
std::string storage_differs(const RequestedStudy& request, const Frame& frame) {
  std::set<std::string> models;
  std::size_t longest = 0;
  for (const RunRow& run : frame.runs) {
    if (!completed(run)) continue;
    const auto model = run.point.find("model");
    models.insert(model == run.point.end() ? "" : model->second);
    longest = std::max(longest, run.epochs.size());
  }
  for (const RequestedRun& run : request.runs) {
    if (!models.contains(point_value(run, "model"))) {
      return fmt::format(
          "no measured run has the model {}, and the size of checkpoints depends on "
          "the model",
          point_value(run, "model"));
    }
    if (run.steps > 0) return "the length of the requested runs is set in steps instead of epochs";
    if (run.epochs == 0) return "the number of epochs of the requested runs is unknown";
    if (longest == 0) return "the number of epochs of the measured runs is unknown";
    if (static_cast<std::size_t>(run.epochs) > longest) {
      return fmt::format("requested runs train for {} epochs, and the longest measured run for {}",
                         run.epochs, longest);
    }
  }
  return "";
}

}  // namespace

std::string proposal_number(double value) {
  return fmt::format("{:.{}f}", value, proposal_decimals(std::abs(value)));
}

ProposalValue run_count(const ProposalData& data) {
  if (!data.request) return no_request();
  const RequestedStudy& request = *data.request;
  std::map<int, int> counts;
  for (const RequestedRun& run : request.runs) ++counts[run.gpus];
  std::vector<std::string> parts;
  for (const auto& [gpus, runs] : counts) {
    parts.push_back(
        fmt::format("{} on {}", base::count_of(runs, "run"), base::count_of(gpus, request.worker)));
  }
  return Paragraphs{
      fmt::format("The study {} has {} on {}: {}.", request.study,
                  base::count_of(static_cast<std::int64_t>(request.runs.size()), "run"),
                  request.site, fmt::join(parts, ", "))};
}

ProposalValue job_sizes(const ProposalData& data) {
  if (!data.request) return no_request();
  const RequestedStudy& request = *data.request;
  if (!all_runs_timed(request)) return no_times(request);
  const std::vector<JobSize> sizes = sizes_of(request);
  const std::string worker = request.worker;
  Table table{
      .id = "job-sizes",
      .title = "Job sizes of " + request.study + " on " + request.site,
      .notes = {"run time and memory are predicted; each is the value of the run of this size "
                "whose band has the highest upper edge",
                "typical: the median over all requested runs"},
      .columns = {{"size", "job size"},
                  {"gpus", worker + "s"},
                  {"nodes", "nodes"},
                  {"runs", "runs"}},
      .rows = {}};
  add_band_columns(table, {"run_time_h", "run time", "h", 2, 1 / kHour});
  bool has_memory = true;
  for (const JobSize& size : sizes) {
    has_memory =
        has_memory &&
        largest_run(request, size.gpus, &RequestedRun::memory_bytes).memory_bytes.value > 0;
  }
  if (has_memory) {
    add_band_columns(table, {"memory_gb", "memory/" + worker, "GB", 2, 1 / kBytesOfGb});
  } else if (request.is_external) {
    table.notes.emplace_back(
        "the memory is not predicted, because dlscale has no model of a training script of the "
        "user");
  } else {
    table.notes.emplace_back(
        "the memory is not predicted: the prediction needs the size of the GPU memory, or a "
        "calibration with measured memory (dlscale calibrate RESULTS -o calibration.json)");
  }
  for (const JobSize& size : sizes) {
    const RequestedRun& run = largest_run(request, size.gpus, &RequestedRun::time_s);
    const auto runs = std::count_if(request.runs.begin(), request.runs.end(),
                                    [&](const auto& one) { return one.gpus == size.gpus; });
    std::vector<Cell> row{fmt::format("{}", fmt::join(size.names, ", ")),
                          static_cast<double>(size.gpus),
                          static_cast<double>(run.nodes),
                          static_cast<double>(runs),
                          run.time_s.value,
                          band_cell(run.time_s)};
    if (has_memory) {
      const PredictedValue& memory =
          largest_run(request, size.gpus, &RequestedRun::memory_bytes).memory_bytes;
      row.insert(row.end(), {Cell(memory.value), band_cell(memory)});
    }
    table.rows.push_back(std::move(row));
  }
  set_decimals(table, 4);
  return table;
}

ProposalValue request_table(const ProposalData& data) {
  if (!data.request) return no_request();
  const RequestedStudy& request = *data.request;
  if (!all_runs_timed(request)) return no_times(request);
  const bool by_size = run_groups(request, false).size() > kMostRequestRows;
  const RunGroups groups = run_groups(request, by_size);
  Table table{
      .id = "request",
      .title = "Computing time of " + request.study + " on " + request.site,
      .notes = {"node-h = runs x predicted hours of a run x nodes; the edges of its band are the "
                "sums of the edges of the bands of the runs"},
      .columns = {{"configuration", "configuration"},
                  {"gpus", request.worker + "s"},
                  {"nodes", "nodes"},
                  {"runs", "runs"}},
      .rows = {}};
  if (by_size) {
    table.notes.emplace_back(
        "each row adds up all configurations of a size; time/run is the time of the longest run");
  }
  add_band_columns(table, {"run_h", "time/run", "h"});
  add_band_columns(table, {"node_h", "node-h"});
  const bool has_gpus = request.worker == "GPU";
  if (has_gpus) table.columns.push_back({"gpu_h", "GPU-h"});
  table.columns.push_back({"core_h", "core-h"});
  for (const auto& [key, runs] : groups) {
    const RequestedRun& run = **std::max_element(runs.begin(), runs.end(),
                                                 [](const RequestedRun* a, const RequestedRun* b) {
                                                   return a->time_s.value < b->time_s.value;
                                                 });
    const PredictedValue one = resource_hours(run.time_s, 1);
    const PredictedValue node_h = request_sum(runs, "node-h");
    std::vector<Cell> row{configuration_of(runs, request),
                          static_cast<double>(run.gpus),
                          static_cast<double>(run.nodes),
                          static_cast<double>(runs.size()),
                          one.value,
                          band_cell(one),
                          node_h.value,
                          band_cell(node_h)};
    if (has_gpus) row.emplace_back(request_sum(runs, "gpu-h").value);
    row.emplace_back(request_sum(runs, "core-h").value);
    table.rows.push_back(std::move(row));
  }
  set_decimals(table, 4);
  return table;
}

ProposalValue request_total(const ProposalData& data, const FormUnit& unit) {
  if (!data.request) return no_request();
  const RequestedStudy& request = *data.request;
  if (!all_runs_timed(request)) return no_times(request);
  if (unit.per == "gpu-h" && request.worker != "GPU") {
    return Absent{fmt::format("The centre counts GPU-hours, and {} has no GPUs.", request.site),
                  {kRequestCommand}};
  }
  const PredictedValue total = request_sum(all_runs(request), unit.per);
  const std::string runs = base::count_of(static_cast<std::int64_t>(request.runs.size()),
                                          fmt::format("run of {} needs", request.study),
                                          fmt::format("runs of {} need", request.study));
  Paragraphs text{fmt::format("The {} {}.", runs, band_text(total, unit.per))};
  const std::optional<double> factor = unit.factor ? unit.factor : data.facts.unit_factor;
  if (unit.name == unit.per) return text;
  if (!factor) {
    text.push_back(fmt::format(
        "The total in {} is not stated, because the form does not state how many {} one {} costs. "
        "Set the key unit_factor in the facts file (dlscale propose --facts FACTS.toml).",
        unit.name, unit.name, unit.per));
    return text;
  }
  text.push_back(fmt::format(
      "The request is {}, because one {} counts as {} {}.",
      band_text({total.value * *factor, total.low * *factor, total.high * *factor}, unit.name),
      unit.per, *factor, unit.name));
  return text;
}

ProposalValue storage(const ProposalData& data) {
  if (data.frame.is_imported) {
    return Absent{"The results were imported from logs, which do not record the size of the files.",
                  {"dlscale run STUDY.toml -o RESULTS", kRequestCommand}};
  }
  if (data.run_bytes.empty()) {
    return Absent{"No completed run has a folder whose size can be measured.",
                  {"dlscale run STUDY.toml -o RESULTS"}};
  }
  const auto runs = static_cast<std::int64_t>(data.run_bytes.size());
  Paragraphs text{
      fmt::format("The results contain {}. Each run wrote {} into its folder (records, output and "
                  "checkpoints). Data sets are not included.",
                  base::count_of(runs, "completed run"), run_bytes_text(data.run_bytes))};
  if (!data.request) {
    text.push_back(fmt::format("{} The total of the request is therefore not stated. Command: {}",
                               no_request().reason, kRequestCommand));
    return text;
  }
  if (const std::string why = storage_differs(*data.request, data.frame); !why.empty()) {
    text.push_back(fmt::format("The total of the request is not stated, because {}.", why));
    return text;
  }
  const double most = *std::max_element(data.run_bytes.begin(), data.run_bytes.end());
  const auto requested = static_cast<std::int64_t>(data.request->runs.size());
  text.push_back(
      fmt::format("The {} at most {} GB, if no run writes more than the largest measured run.",
                  base::count_of(requested, "requested run writes", "requested runs write"),
                  proposal_number(most * static_cast<double>(requested) / kBytesOfGb)));
  return text;
}

Paragraphs request_limits(const ProposalData& data) {
  if (!data.request) return {};
  const RequestedStudy& request = *data.request;
  Paragraphs text;
  if (all_runs_timed(request)) {
    text.push_back(fmt::format(
        "The run times of the {} are predicted and not measured{}. They cover the training steps. "
        "Start-up, evaluation, checkpoints and repeated runs are not included.",
        base::count_of(static_cast<std::int64_t>(request.runs.size()), "requested run"),
        request.basis.empty() ? "" : " (basis: " + request.basis + ")"));
  }
  int measured = 0, most = 0, beyond = 0;
  for (const RunRow& run : data.frame.runs) {
    if (has_throughput(run)) measured = std::max(measured, run.gpus);
  }
  for (const RequestedRun& run : request.runs) {
    most = std::max(most, run.gpus);
    beyond += run.gpus > measured ? 1 : 0;
  }
  if (beyond > 0 && measured > 0) {
    text.push_back(fmt::format(
        "{} on more than {}, the largest measured count: the largest requested count is {}. The "
        "scaling at these counts is an extrapolation.",
        base::count_of(beyond, "requested run is", "requested runs are"),
        base::count_of(measured, request.worker), most));
  }
  if (!data.site.empty() && data.site != request.site) {
    text.push_back(
        fmt::format("The results were measured on the site {}, and the request is for the site {}.",
                    data.site, request.site));
  }
  if (request.scaling != data.frame.scaling) {
    text.push_back(fmt::format(
        "The scaling mode of the results is {}. The scaling mode of the requested study "
        "is {}.",
        data.frame.scaling, request.scaling));
  }
  if (request.has_packed_jobs) {
    text.emplace_back(
        "Some jobs contain several runs. The request counts each run as a job of its own, so that "
        "the total is an upper limit for these jobs.");
  }
  if (request.skipped_points > 0) {
    text.push_back(fmt::format(
        "The request leaves out {} of the requested study that cannot run on the site (see dlscale "
        "plan -n).",
        base::count_of(static_cast<std::int64_t>(request.skipped_points), "point")));
  }
  for (const std::string& note : request.notes)
    text.push_back("Note on the prediction: " + note + ".");
  return text;
}

}  // namespace dlscale::analysis
