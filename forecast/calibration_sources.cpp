// SPDX-License-Identifier: Apache-2.0
#include "forecast/calibration_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "analysis/import/reading/launcher_prefix.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "contract/records/bench_record.hpp"
#include "forecast/study_measurements.hpp"
#include "predict/all_reduce_fit.hpp"
#include "predict/compute_fit.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

using contract::AllReduceTime;

/// Measured time of one collective for one message size.
struct Measured {
  std::string collective;
  AllReduceTime time;
  std::string made_by;  ///< algorithm, communicator and precision
};

std::string place_text(const AllReduceTime& time) {
  return fmt::format("{} GPUs on {}", time.gpus, base::count_of(time.nodes, "node"));
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Stores the device of a source in the calibration. Throws base::UsageError if an earlier source
/// was measured on another device, because measurements from different devices cannot be combined.
void take_device(const std::string& device, const std::string& source,
                 contract::Calibration& calibration) {
  if (device.empty() || device == calibration.device) return;
  if (!calibration.device.empty()) {
    throw base::UsageError(fmt::format(
        "{}: was measured on {}, but earlier sources were measured on {}; create a separate "
        "calibration for each device",
        source, device, calibration.device));
  }
  calibration.device = device;
}

std::string made_by(std::string algorithm, const std::string& communicator,
                    const std::string& precision) {
  if (algorithm.empty() || algorithm == communicator) {
    algorithm = communicator;
  } else if (!communicator.empty()) {
    algorithm += " over " + communicator;
  }
  return precision.empty() ? algorithm : algorithm + ", " + precision;
}

/// Stores the algorithm, communicator and precision of an all-reduce. Throws base::UsageError if an
/// earlier source used another algorithm, communicator or precision at the same placement.
void take_maker(const Measured& measured, const PlacementKey& key, const std::string& source,
                GatheredMeasurements& all) {
  const std::string& maker = all.made_by.emplace(key, measured.made_by).first->second;
  if (maker == measured.made_by) return;
  throw base::UsageError(
      fmt::format("{}: the all-reduces of {} use {}, but those of earlier sources use {}; create a "
                  "separate calibration for each combination",
                  source, place_text(measured.time), measured.made_by, maker));
}

void add_measured(const std::vector<Measured>& measured, const GatherOptions& options,
                  const std::string& source, GatheredMeasurements& all) {
  int all_reduces = 0, others = 0;
  for (Measured each : measured) {
    AllReduceTime& time = each.time;
    if (time.topology.empty()) time.topology = options.topology;
    const PlacementKey key{time.topology, time.nodes, time.gpus};
    if (each.collective == "all_reduce") {
      take_maker(each, key, source, all);
      all.calibration.all_reduce.push_back(time);
      all.benchmarked.insert(key);
      ++all_reduces;
    } else if (each.collective == "reduce_scatter") {
      all.reduce_scatter[key][time.bytes] = time.seconds;
    } else if (each.collective == "all_gather") {
      all.all_gather[key][time.bytes] = time.seconds;
    } else {
      ++others;
    }
  }
  const auto rest = static_cast<int>(measured.size()) - all_reduces - others;
  all.found.push_back(
      fmt::format("{}: {} all-reduces, {} reduce-scatters and all-gathers{}", source, all_reduces,
                  rest, others > 0 ? fmt::format(", {} other collectives skipped", others) : ""));
}

/// Adds the layers of a measured step. A later measurement of the same step replaces an earlier
/// one.
void add_layers(const contract::StepLayers& step, contract::Calibration& calibration) {
  const auto key = [](const contract::StepLayers& one) {
    return std::tie(one.model, one.input, one.classes, one.precision, one.optimizer, one.momentum,
                    one.batch);
  };
  std::erase_if(calibration.layers, [&](const auto& other) { return key(other) == key(step); });
  calibration.layers.push_back(step);
}

void gather_bench(std::string_view text, const std::string& source, const GatherOptions& options,
                  GatheredMeasurements& all) {
  const contract::BenchRecords records = contract::bench_records_from_jsonl(text, source);
  std::vector<Measured> measured;
  int wrong = 0;
  for (const contract::CommTime& time : records.comm) {
    take_device(time.device, source, all.calibration);
    if (all.calibration.communicator.empty()) all.calibration.communicator = time.communicator;
    for (const auto& [name, version] : time.made_with) all.calibration.made_with[name] = version;
    if (time.wrong > 0 || time.ranks < 2 || time.bytes < 1) {
      ++wrong;
      continue;
    }
    measured.push_back({time.collective,
                        {time.topology, time.nodes, time.ranks, time.bytes, time.seconds,
                         time.low_s, time.high_s, time.iterations},
                        made_by(time.algorithm, time.communicator, time.precision)});
  }
  for (const contract::StepLayers& step : records.layers) {
    take_device(step.device, source, all.calibration);
    for (const auto& [name, version] : step.made_with) all.calibration.made_with[name] = version;
    add_layers(step, all.calibration);
  }
  if (records.comm.empty() && records.layers.empty() && !records.kernels.empty()) {
    throw base::UsageError(source +
                           ": contains only kernel times; convert it to a calibration with "
                           "dlscale-bench fit and give that calibration instead");
  }
  if (!records.layers.empty()) {
    all.found.push_back(fmt::format(
        "{}: layers of {}", source,
        base::count_of(static_cast<std::int64_t>(records.layers.size()), "measured step")));
    if (records.comm.empty()) return;
  }
  add_measured(measured, options, source, all);
  if (wrong > 0) {
    all.found.back() += fmt::format(
        "; {} skipped because of wrong results, a single rank or empty messages", wrong);
  }
}

void gather_calibration(std::string_view text, const std::string& source,
                        GatheredMeasurements& all) {
  const contract::Calibration other = contract::calibration_from_json(text, source);
  take_device(other.device, source, all.calibration);
  contract::Calibration& to = all.calibration;
  if (to.communicator.empty()) to.communicator = other.communicator;
  for (const auto& [name, version] : other.made_with) to.made_with[name] = version;
  append(to.all_reduce, other.all_reduce);
  append(to.kernels, other.kernels);
  append(to.kernel_models, other.kernel_models);
  for (const contract::StepLayers& step : other.layers) add_layers(step, to);
  append(to.compute, other.compute);
  append(to.exchange, other.exchange);
  append(to.loading, other.loading);
  append(to.memory, other.memory);
  all.found.push_back(fmt::format(
      "{}: a calibration with {} all-reduces, {} steps, {} kernels and {} kernel models", source,
      other.all_reduce.size(), other.compute.size(), other.kernels.size(),
      other.kernel_models.size()));
}

/// Returns the collective that a log of nccl-tests measures. Logs before version 2.16 do not name
/// the collective. For these logs, the collective is derived from the file name, or from the factor
/// between algbw and busbw.
std::string collective_of(const analysis::CollectiveResult& row, int gpus,
                          const std::string& source) {
  if (!row.collective.empty()) return row.collective;
  const std::string name = fs::path(source).filename().string();
  for (const char* known :
       {"all_reduce", "reduce_scatter", "all_gather", "alltoall", "broadcast"}) {
    if (name.find(known) != std::string::npos) return known;
  }
  constexpr double kRounding = 0.02;
  const double factor = row.busbw_gb_per_s / row.algbw_gb_per_s;
  const bool all_reduce = std::abs(factor / (2.0 * (gpus - 1) / gpus) - 1) < kRounding;
  return all_reduce && gpus > 2 ? "all_reduce" : "not known";
}

void add_log(const analysis::LogContent& log, const std::string& source, const std::string& device,
             std::vector<Measured>& measured, GatheredMeasurements& all) {
  const auto number = [&](const char* fact) {
    const auto found = log.facts.find(fact);
    return found == log.facts.end() ? 0 : std::atoi(found->second.c_str());
  };
  const int gpus = number("gpus"), nodes = std::max(1, number("nodes"));
  if (gpus < 2) return;
  take_device(device, source, all.calibration);
  for (const analysis::CollectiveResult& row : log.collectives) {
    const bool good = !(row.wrong > 0) && row.size_bytes > 0 && row.time_s > 0;
    if (row.in_place || !good) continue;
    measured.push_back({collective_of(row, gpus, source),
                        {"", nodes, gpus, row.size_bytes, row.time_s},
                        made_by("", "nccl", row.type == "float" ? "fp32" : row.type)});
  }
}

std::string device_of(const analysis::LogContent& log) {
  for (const contract::ResultRecord& record : log.file.records) {
    const auto* start = std::get_if<contract::RunStart>(&record);
    if (start == nullptr) continue;
    const auto gpu = start->environment.find("gpu");
    if (gpu != start->environment.end()) return gpu->second;
  }
  return "";
}

void gather_nccl_tests(std::string_view text, const std::string& source,
                       const GatherOptions& options, GatheredMeasurements& all) {
  const analysis::LogFormat& format = base::find(analysis::log_formats(), "format", "nccl_tests");
  std::vector<Measured> measured;
  const std::vector<analysis::LogPart> parts = format.parts(text);
  if (parts.empty()) {
    const analysis::LogContent log = format.read(text, {});
    add_log(log, source, device_of(log), measured, all);
  }
  for (const analysis::LogPart& part : parts) {
    const analysis::LogContent log = format.read_part(text, part, {});
    add_log(log, source, device_of(log), measured, all);
  }
  if (all.calibration.communicator.empty()) all.calibration.communicator = "nccl";
  add_measured(measured, options, source, all);
}

void gather_study(const std::string& source, const GatherOptions& options,
                  GatheredMeasurements& all) {
  const StudyMeasurements study =
      study_measurements(contract::PlanDir(fs::path(source)), options.runs, options.cards);
  take_device(study.calibration.device, source, all.calibration);
  contract::Calibration& to = all.calibration;
  if (to.communicator.empty()) to.communicator = study.calibration.communicator;
  append(to.compute, study.calibration.compute);
  append(to.exchange, study.calibration.exchange);
  append(to.loading, study.calibration.loading);
  append(to.memory, study.calibration.memory);
  // A benchmark measures all-reduces separately and at many sizes, so its times have priority over
  // the times from a study.
  std::set<std::pair<int, int>> known;
  for (const AllReduceTime& time : to.all_reduce) known.insert({time.nodes, time.gpus});
  std::size_t taken = 0;
  for (AllReduceTime time : study.calibration.all_reduce) {
    if (known.contains({time.nodes, time.gpus})) continue;
    if (time.topology.empty()) time.topology = options.topology;
    to.all_reduce.push_back(time);
    ++taken;
  }
  all.found.push_back(fmt::format(
      "{}: steps of {} runs, {} of their all-reduces{}", source, study.runs, taken,
      study.passed_over > 0 ? fmt::format("; {} runs skipped, because their step parts are not "
                                          "recorded or their framework style is not modelled",
                                          study.passed_over)
                            : ""));
}

void fit_compute(const std::vector<contract::ComputeTime>& times,
                 std::vector<contract::ComputeFit>& fits) {
  struct Passes {
    contract::ModelOptions options;
    std::vector<predict::TermPoint> forward, backward;
  };
  using Settings = std::vector<std::pair<std::string, std::string>>;
  using Key = std::tuple<std::string, Settings, std::vector<std::int64_t>, std::string, int>;
  std::map<Key, Passes> passes;
  for (const contract::ComputeTime& time : times) {
    auto& [options, forward, backward] =
        passes[{time.model, contract::given_options(time.options), time.input, time.precision,
                std::max(1, time.ranks_on_node)}];
    options = time.options;
    const auto batch = static_cast<double>(time.batch);
    forward.push_back({1, batch, time.forward_s});
    if (time.backward_s > 0) backward.push_back({1, batch, time.backward_s});
  }
  for (const auto& [key, points] : passes) {
    const auto add = [&, &key = key, &options = points.options](const char* pass,
                                                                const auto& list) {
      if (list.empty()) return;
      const predict::TermFit fit = predict::fit_terms(list);
      const auto& [model, settings, input, precision, ranks] = key;
      fits.push_back({model, input, precision, pass, ranks, fit.first, fit.second,
                      fit.relative_error, fit.points, options});
    };
    add("forward", points.forward);
    add("backward", points.backward);
  }
}

void check_sizes(const std::vector<AllReduceTime>& times) {
  std::map<PlacementKey, std::set<std::int64_t>> sizes;
  std::map<PlacementKey, const AllReduceTime*> of;
  for (const AllReduceTime& time : times) {
    const PlacementKey key{time.topology, time.nodes, time.gpus};
    sizes[key].insert(time.bytes);
    of[key] = &time;
  }
  for (const auto& [key, bytes] : sizes) {
    if (static_cast<int>(bytes.size()) >= predict::kFewestSizes) continue;
    throw base::UsageError(fmt::format(
        "too few points: all-reduces of {} on {}; a fit of latency and bandwidth with an interval "
        "needs {}; measure more sizes (dlscale-bench comm --help)",
        base::count_of(bytes.size(), "size"), place_text(*of.at(key)), predict::kFewestSizes));
  }
}

std::string read_source(const std::string& source) {
  try {
    return base::read_text_file(source);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

}  // namespace

void gather(const std::string& source, const GatherOptions& options, GatheredMeasurements& all) {
  std::error_code unreadable;
  if (fs::is_directory(source, unreadable)) return gather_study(source, options, all);
  const std::string text = analysis::without_launcher_prefixes(read_source(source));
  constexpr std::size_t kHead = 65536;
  const std::string_view head = std::string_view(text).substr(0, kHead);
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.starts_with('{') && line.find("\"record\"") != line.npos) {
    return gather_bench(text, source, options, all);
  }
  const analysis::LogFormat& nccl = base::find(analysis::log_formats(), "format", "nccl_tests");
  if (nccl.recognises(head)) return gather_nccl_tests(text, source, options, all);
  if (head.starts_with('{')) return gather_calibration(text, source, all);
  throw base::UsageError(source +
                         ": must be output of dlscale-bench comm, dlscale-bench layers or "
                         "nccl-tests, a calibration or a plan folder");
}

void fit(GatheredMeasurements& all) {
  contract::Calibration& calibration = all.calibration;
  const bool has_kernels = !calibration.kernel_models.empty() || !calibration.layers.empty();
  if (calibration.all_reduce.empty() && calibration.compute.empty() && !has_kernels) {
    throw base::UsageError(
        "the sources contain no measured all-reduce and no measured step; measure with "
        "dlscale-bench comm, or collect runs on one or two nodes");
  }
  // Only benchmarked placements must have enough sizes. A study measures only the message sizes
  // that the gradients of its models have.
  std::vector<AllReduceTime> benchmarked = calibration.all_reduce;
  std::erase_if(benchmarked, [&](const AllReduceTime& time) {
    return !all.benchmarked.contains({time.topology, time.nodes, time.gpus});
  });
  check_sizes(benchmarked);
  calibration.all_reduce_fits = predict::fit_all_reduces(calibration.all_reduce);
  for (contract::AllReduceFit& fit : calibration.all_reduce_fits) {
    const PlacementKey key{fit.topology, fit.nodes, fit.gpus};
    if (!all.reduce_scatter.contains(key) || !all.all_gather.contains(key)) continue;
    fit.sum_s_per_byte =
        predict::fit_summation(fit.gpus, all.reduce_scatter.at(key), all.all_gather.at(key));
  }
  calibration.compute_fits.clear();
  fit_compute(calibration.compute, calibration.compute_fits);
}

}  // namespace dlscale::forecast
