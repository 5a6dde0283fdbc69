// SPDX-License-Identifier: Apache-2.0
// Draws the fastest GPU count for each global batch.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/metrics/scaling/recommendation.hpp"
#include "analysis/report/figures/figure_parts.hpp"
#include "analysis/report/figures/figures.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the fastest count with the range of all counts that the repeats cannot distinguish from
/// it.
FigurePoint best_count_of(double batch, const Recommendation& best) {
  Bounds counts{double(best.fastest.gpus), double(best.fastest.gpus)};
  for (const std::vector<Contestant>* others : {&best.as_fast, &best.untested}) {
    for (const Contestant& one : *others) {
      counts = {std::min(counts.low, double(one.gpus)), std::max(counts.high, double(one.gpus))};
    }
  }
  return {batch, double(best.fastest.gpus), counts};
}

}  // namespace

Figure best_count_figure(const Frame& frame, const AnalysisOptions& options) {
  std::vector<ScalingCurve> curves = scaling_curves(frame);
  std::erase_if(curves, [&](const ScalingCurve& curve) {
    return !curve.mixed.empty() && !options.allow_mixed;
  });
  // The budgets of a work ascend, so its last recommendation considers all measured GPU counts.
  std::map<std::string, Recommendation> best;
  for (const Recommendation& one : recommendations(curves)) best[to_string(one.work)] = one;
  struct Line {
    CurveKey key;
    std::map<double, const Recommendation*> by_batch;
  };
  std::map<std::pair<std::vector<std::size_t>, std::string>, Line> lines;
  std::size_t untested = 0;
  for (const auto& [text, one] : best) {
    const auto batch = base::number_of<double>(value_of(one.work, kGlobalBatch));
    if (!batch) continue;  // the batch grows with the GPU count, so there is nothing to choose
    CurveKey key = one.work;
    std::erase_if(key, [](const AxisValue& entry) { return entry.axis == kGlobalBatch; });
    Line& line = lines[{rank_of(frame, key), to_string(key)}];
    line.key = std::move(key);
    line.by_batch[*batch] = &one;
    untested += one.untested.size();
  }
  std::vector<CurveKey> keys;
  for (const auto& [order, line] : lines) keys.push_back(line.key);
  const std::string worker = worker_noun(frame);
  Legend legend(keys, worker);
  Figure figure;
  figure.title = fmt::format("Fastest number of {}s by global batch of {}", worker, frame.study);
  figure.subtitle = fmt::format(
      "by the median throughput ({}); bars: counts that the repeats cannot distinguish "
      "from the fastest (5 %)",
      repeats_words(repeats_of(curves)));
  if (untested > 0) {
    figure.subtitle +=
        fmt::format("; bars include {} with too few repeats to tell",
                    base::count_of(static_cast<std::int64_t>(untested), "configuration"));
  }
  figure.notes = figure_notes(frame);
  figure.x = batch_axis();
  figure.y = {"fastest_gpus", fmt::format("fastest number of {}s", worker), 0, true};
  figure.legend_title = legend.title();
  for (const auto& [order, line] : lines) {
    Series series = legend.series(line.key);
    for (const auto& [batch, one] : line.by_batch) {
      series.points.push_back(best_count_of(batch, *one));
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace dlscale::analysis
