// SPDX-License-Identifier: Apache-2.0
#include "forecast/calibration_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/metrics/statistics/summary.hpp"
#include "contract/records/model_card.hpp"
#include "forecast/layer_tables.hpp"

namespace dlscale::forecast {
namespace {

using analysis::Bounds;
using analysis::Cell;
using analysis::Column;
using analysis::Table;
using contract::FittedValue;

constexpr double kPerMicrosecond = 1e6, kPerMillisecond = 1e3, kPerGigabyte = 1e-9;
constexpr double kPerMebibyte = 1.0 / (1024 * 1024);

/// Returns the interval of a fitted value. The cell is empty if the fit had too few points for an
/// interval.
Cell bounds(const FittedValue& fitted) {
  if (fitted.low == fitted.high) return {};
  return Bounds{fitted.low, fitted.high};
}

/// Returns the rate that corresponds to a time per unit. The cell is empty if the time is not above
/// 0.
Cell rate(const FittedValue& fitted) {
  if (fitted.value <= 0) return {};
  return 1 / fitted.value;
}
/// Returns the rate of summation, 1/γ. The cell is empty unless reduce-scatter is significantly
/// slower than all-gather.
Cell summation(const FittedValue& fitted) {
  return fitted.low > 0 ? rate(fitted) : Cell();
}
Cell rate_bounds(const FittedValue& fitted) {
  if (fitted.low <= 0 || fitted.low == fitted.high) return {};
  return Bounds{1 / fitted.high, 1 / fitted.low};
}

Table links_table(const contract::Calibration& calibration) {
  Table table{.id = "calibrated-links",
              .title = "All-reduce, as measured",
              .notes = {"fit of 2(P-1)α + 2((P-1)/P)nβ to each range of sizes by least squares of "
                        "relative errors; intervals: 95 %, Student's t of the residuals",
                        "the bandwidth includes the time of the summation; summation: bytes added "
                        "per second, if reduce-scatter and all-gather were measured"},
              .columns = {{"topology", "topology"},
                          {"nodes", "nodes"},
                          {"gpus", "GPUs"},
                          {"least_bytes", "from", "KiB", 1, 1.0 / 1024},
                          {"most_bytes", "to", "KiB", 1, 1.0 / 1024},
                          {"latency_s", "latency of a hop", "us", 2, kPerMicrosecond},
                          {"latency_s", "interval", "us", 2, kPerMicrosecond, true},
                          {"bytes_per_s", "bandwidth", "GB/s", 2, kPerGigabyte},
                          {"bytes_per_s", "interval", "GB/s", 2, kPerGigabyte, true},
                          {"sum_bytes_per_s", "summation", "GB/s", 2, kPerGigabyte},
                          {"relative_error", "error", "%", 1, 100},
                          {"n", "n"}}};
  for (const contract::AllReduceFit& fit : calibration.all_reduce_fits) {
    table.rows.push_back({fit.topology, double(fit.nodes), double(fit.gpus),
                          double(fit.least_bytes), double(fit.most_bytes), fit.latency_s.value,
                          bounds(fit.latency_s), rate(fit.seconds_per_byte),
                          rate_bounds(fit.seconds_per_byte), summation(fit.sum_s_per_byte),
                          fit.relative_error, double(fit.points)});
  }
  return table;
}

Table steps_table(const contract::Calibration& calibration) {
  Table table{.id = "calibrated-steps",
              .title = "Passes over a batch, as measured",
              .notes = {"fit of start + batch x time per sample by least squares of relative "
                        "errors; intervals: 95 %, Student's t of the residuals; with a single "
                        "batch size the line goes through the origin"},
              .columns = {{"model", "model"},
                          {"input", "input"},
                          {"precision", "precision"},
                          {"pass", "pass"},
                          {"ranks_on_node", "ranks on a node"},
                          {"start_s", "start", "ms", 3, kPerMillisecond},
                          {"start_s", "interval", "ms", 3, kPerMillisecond, true},
                          {"seconds_per_sample", "per sample", "us", 2, kPerMicrosecond},
                          {"seconds_per_sample", "interval", "us", 2, kPerMicrosecond, true},
                          {"relative_error", "error", "%", 1, 100},
                          {"n", "n"}},
              .notes_in_caption = 1};
  for (const contract::ComputeFit& fit : calibration.compute_fits) {
    table.rows.push_back({contract::model_text(fit.model, fit.options),
                          contract::shape_text(fit.input), fit.precision, fit.pass,
                          double(fit.ranks_on_node), fit.start_s.value, bounds(fit.start_s),
                          fit.seconds_per_sample.value, bounds(fit.seconds_per_sample),
                          fit.relative_error, double(fit.points)});
  }
  return table;
}

/// Returns a table of the standard deviation of the time of a step. Each model and batch has a row
/// with the median over its runs.
Table scatter_table(const contract::Calibration& calibration) {
  Table table{
      .id = "calibrated-scatter",
      .title = "Variation between the steps of a rank, as measured",
      .notes =
          {"standard deviation of step times after slow changes were removed: for one rank from "
           "its "
           "step windows, for several ranks from the time that they waited for the slowest rank; "
           "median of n runs",
           "the faster of two ranks waits 0.56 standard deviations per step on average"},
      .columns = {{"model", "model"},
                  {"input", "input"},
                  {"precision", "precision"},
                  {"batch", "batch"},
                  {"ranks_on_node", "ranks on a node"},
                  {"deviation_s", "deviation", "ms", 3, kPerMillisecond},
                  {"deviation_share", "share of a step", "%", 1, 100},
                  {"n", "n"}},
      .notes_in_caption = 1};
  using Key = std::tuple<std::string, std::vector<std::int64_t>, std::string, std::int64_t, int>;
  std::map<Key, std::pair<std::vector<double>, std::vector<double>>> groups;
  for (const contract::ComputeTime& time : calibration.compute) {
    if (time.deviation_s <= 0) continue;
    auto& [deviations, shares] =
        groups[{contract::model_text(time.model, time.options), time.input, time.precision,
                time.batch, std::max(1, time.ranks_on_node)}];
    deviations.push_back(time.deviation_s);
    shares.push_back(time.deviation_s / (time.forward_s + time.backward_s + time.optimizer_s));
  }
  for (const auto& [key, values] : groups) {
    const auto& [model, input, precision, batch, ranks] = key;
    table.rows.push_back({model, contract::shape_text(input), precision, double(batch),
                          double(ranks), analysis::median(values.first),
                          analysis::median(values.second), double(values.first.size())});
  }
  return table;
}

Table exchange_table(const contract::Calibration& calibration) {
  Table table{.id = "calibrated-overlap",
              .title = "Communication hidden by computation, as measured",
              .notes = {"hidden: share of the time of collectives during which ranks computed, "
                        "median of n runs; interval: 95 % from 6 runs on, otherwise their range"},
              .columns = {{"framework", "framework"},
                          {"nodes", "nodes"},
                          {"gpus", "GPUs"},
                          {"hidden", "hidden", "%", 1, 100},
                          {"hidden", "interval", "%", 1, 100, true},
                          {"n", "n"}},
              .notes_in_caption = 1};
  for (const contract::ExchangeTime& time : calibration.exchange) {
    table.rows.push_back({time.framework, double(time.nodes), double(time.gpus), time.hidden,
                          bounds({time.hidden, time.hidden_low, time.hidden_high}),
                          double(time.runs)});
  }
  return table;
}

Table loading_table(const contract::Calibration& calibration) {
  Table table{.id = "calibrated-loading",
              .title = "Waiting for data, as measured",
              .notes = {"time per sample until a rank has its batch on the device; median of n "
                        "runs; interval: 95 % from 6 runs on, otherwise their range"},
              .columns = {{"loader", "loader"},
                          {"dataset", "data set"},
                          {"seconds_per_sample", "per sample", "us", 2, kPerMicrosecond},
                          {"seconds_per_sample", "interval", "us", 2, kPerMicrosecond, true},
                          {"n", "n"}},
              .notes_in_caption = 1};
  for (const contract::LoadTime& time : calibration.loading) {
    table.rows.push_back({time.loader, time.dataset, time.seconds_per_sample,
                          bounds({time.seconds_per_sample, time.low_s, time.high_s}),
                          double(time.runs)});
  }
  return table;
}

Table peaks_table(const contract::Calibration& calibration) {
  Table table{.id = "calibrated-memory",
              .title = "Peak memory of a rank, as measured",
              .notes = {"median of n equal runs; CPUs: resident memory of the process; GPUs: "
                        "memory that the allocator reserved; card: estimate of the cost model "
                        "(model card) for the settings of these runs, activations included"},
              .columns = {{"model", "model"},
                          {"input", "input"},
                          {"precision", "precision"},
                          {"framework", "framework"},
                          {"device", "device"},
                          {"gpus", "GPUs"},
                          {"batch", "batch per GPU"},
                          {"peak_memory_bytes", "measured", "MiB", 1, kPerMebibyte},
                          {"card_bytes", "card", "MiB", 1, kPerMebibyte},
                          {"activations_bytes", "activations", "MiB", 1, kPerMebibyte},
                          {"beyond_bytes", "beyond the card", "MiB", 1, kPerMebibyte},
                          {"n", "n"}},
              .notes_in_caption = 1};
  for (const contract::MemoryPeak& peak : calibration.memory) {
    table.rows.push_back({contract::model_text(peak.model, peak.options),
                          contract::shape_text(peak.input), peak.precision, peak.framework,
                          peak.device, double(peak.gpus), double(peak.batch),
                          peak.peak_memory_bytes, peak.card_bytes, peak.activations_bytes,
                          peak.peak_memory_bytes - peak.card_bytes, double(peak.runs)});
  }
  return table;
}

}  // namespace

analysis::Report calibration_report(const contract::Calibration& calibration) {
  analysis::Report report;
  for (Table table :
       {links_table(calibration), steps_table(calibration), scatter_table(calibration),
        exchange_table(calibration), loading_table(calibration), peaks_table(calibration),
        layer_errors_table(calibration), layer_times_table(calibration)}) {
    if (!table.rows.empty()) report.tables.push_back(std::move(table));
  }
  return report;
}

}  // namespace dlscale::forecast
