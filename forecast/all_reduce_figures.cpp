// SPDX-License-Identifier: Apache-2.0
#include "forecast/all_reduce_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/metrics/statistics/summary.hpp"
#include "predict/all_reduce_fit.hpp"

namespace dlscale::forecast {
namespace {

using analysis::Figure;
using analysis::Series;
using contract::AllReduceTime;

constexpr double kMebibyte = 1024.0 * 1024;
/// Message size in bytes from which the errors of the paper are below 10 % on average.
constexpr double kLargeBytes = 80 * kMebibyte;

/// Measured and modelled all-reduces of one size.
struct Size {
  double bytes = 0;
  double measured_s = 0, low_s = 0, high_s = 0;
  double modelled_s = 0;
  double relative_error() const { return modelled_s / measured_s - 1; }
};

using Placement = std::tuple<std::string, int, int>;  // topology, nodes, ranks

/// Returns the median of each shown size with the range of its measurements, by ascending size.
std::vector<Size> shown_sizes(const std::vector<const AllReduceTime*>& times) {
  std::map<std::int64_t, std::vector<const AllReduceTime*>> groups;
  for (const AllReduceTime* time : times) {
    const auto bytes = static_cast<double>(time->bytes);
    if (bytes >= kLeastShownBytes && bytes <= kMostShownBytes) groups[time->bytes].push_back(time);
  }
  std::vector<Size> sizes;
  for (const auto& [bytes, group] : groups) {
    std::vector<double> seconds;
    for (const AllReduceTime* time : group) seconds.push_back(time->seconds);
    Size size{.bytes = static_cast<double>(bytes), .measured_s = analysis::median(seconds)};
    size.low_s = *std::min_element(seconds.begin(), seconds.end());
    size.high_s = *std::max_element(seconds.begin(), seconds.end());
    for (const AllReduceTime* time : group) {
      if (time->low_s <= 0 || time->high_s < time->low_s) continue;
      size.low_s = std::min(size.low_s, time->low_s);
      size.high_s = std::max(size.high_s, time->high_s);
    }
    sizes.push_back(size);
  }
  return sizes;
}

/// Fits the ring formula to the measured sizes on `gpus` ranks and stores its times in `sizes`.
predict::RingFit model_sizes(int gpus, std::vector<Size>& sizes) {
  std::vector<double> bytes, seconds;
  for (const Size& size : sizes) {
    bytes.push_back(size.bytes);
    seconds.push_back(size.measured_s);
  }
  const predict::RingFit fit =
      predict::fit_ring(std::vector<int>(sizes.size(), gpus), bytes, seconds);
  const predict::Link link{fit.latency, {1 / fit.seconds_per_byte}};
  for (Size& size : sizes) {
    size.modelled_s = predict::ring_all_reduce(link, gpus, {size.bytes}).value;
  }
  return fit;
}

std::string label_of(const Placement& placement) {
  const auto& [topology, nodes, gpus] = placement;
  return fmt::format("{}{} ranks, {} {}", topology.empty() ? "" : topology + ": ", gpus, nodes,
                     nodes == 1 ? "node" : "nodes");
}

/// Returns a line on the fit of a placement: latency, bandwidth and mean errors.
std::string fit_note(const std::string& label, const predict::RingFit& fit,
                     const std::vector<Size>& sizes) {
  double all = 0, large = 0;
  int large_count = 0;
  for (const Size& size : sizes) {
    all += std::abs(size.relative_error());
    if (size.bytes < kLargeBytes) continue;
    large += std::abs(size.relative_error());
    ++large_count;
  }
  std::string note =
      fmt::format("{}: latency of a hop {:.3g} us, bandwidth {:.4g} GB/s, mean |error| {:.1f} %",
                  label, fit.latency.value * 1e6, 1e-9 / fit.seconds_per_byte,
                  100 * all / static_cast<double>(sizes.size()));
  if (large_count > 0) note += fmt::format(", from 80 MiB on {:.1f} %", 100 * large / large_count);
  return note;
}

Figure figure_over_bytes(std::string title, analysis::FigureAxis y) {
  return {.title = std::move(title),
          .subtitle =
              "dashed: ring formula (Barrachina et al., eq. 1), one latency and one "
              "bandwidth for each placement",
          .x = {.id = "message_mib", .title = "message size (MiB)", .log_base = 2},
          .y = std::move(y)};
}

}  // namespace

std::vector<std::pair<std::string, Figure>> all_reduce_figures(
    const contract::Calibration& calibration) {
  std::map<Placement, std::vector<const AllReduceTime*>> placements;
  for (const AllReduceTime& time : calibration.all_reduce) {
    if (time.gpus > 1) placements[{time.topology, time.nodes, time.gpus}].push_back(&time);
  }
  Figure times = figure_over_bytes("Measured and modelled all-reduce",
                                   {.id = "seconds", .title = "time (s)", .log_base = 10});
  Figure errors = figure_over_bytes("Relative error of the modelled all-reduce",
                                    {.id = "relative_error", .title = "modelled / measured - 1"});
  errors.subtitle = "ring formula (Barrachina et al., eq. 1), fitted to these sizes";
  std::vector<Series> modelled;
  for (const auto& [placement, measured] : placements) {
    std::vector<Size> sizes = shown_sizes(measured);
    if (static_cast<int>(sizes.size()) < predict::kFewestSizes) continue;
    const predict::RingFit fit = model_sizes(std::get<2>(placement), sizes);
    // Without a bandwidth, the formula does not describe these sizes.
    if (fit.seconds_per_byte <= 0) continue;
    const std::string label = label_of(placement);
    Series points{.label = label, .color = modelled.size(), .mark = modelled.size()};
    Series line{.label = label + ": ring formula", .color = modelled.size(), .law = true};
    Series error = points;
    for (const Size& size : sizes) {
      points.points.push_back(
          {size.bytes / kMebibyte, size.measured_s, analysis::Bounds{size.low_s, size.high_s}});
      line.points.push_back({size.bytes / kMebibyte, size.modelled_s, {}});
      error.points.push_back({size.bytes / kMebibyte, size.relative_error(), {}});
    }
    for (Figure* figure : {&times, &errors}) figure->notes.push_back(fit_note(label, fit, sizes));
    times.series.push_back(std::move(points));
    errors.series.push_back(std::move(error));
    modelled.push_back(std::move(line));
  }
  if (modelled.empty()) return {};
  times.series.insert(times.series.end(), modelled.begin(), modelled.end());
  const std::set<double> xs = analysis::x_values(errors);
  errors.ideal =
      Series{.label = "no error", .points = {{*xs.begin(), 0, {}}, {*xs.rbegin(), 0, {}}}};
  return {{"all-reduce-times", std::move(times)}, {"all-reduce-errors", std::move(errors)}};
}

}  // namespace dlscale::forecast
