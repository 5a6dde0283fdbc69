// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/figure_parts.hpp"

#include <fmt/format.h>

#include <set>

#include "analysis/report/tables/captions.hpp"

namespace dlscale::analysis {
namespace {

/// Ratio of the largest to the smallest value. If a figure's values exceed this ratio, their axis
/// is logarithmic.
constexpr double kWideSpan = 16;

/// Longest time, in seconds, for which an axis has the unit seconds. For longer times its unit is
/// hours.
constexpr double kMostSeconds = 7200;

}  // namespace

std::optional<Bounds> bounds_of(const Interval& interval, double scale) {
  if (interval.kind == Interval::Kind::None) return std::nullopt;
  return Bounds{scale * interval.low, scale * interval.high};
}

std::string repeats_words(const Repeats& repeats) {
  if (repeats.fewest == repeats.most) return fmt::format("n = {}", repeats.most);
  return fmt::format("n = {}-{}", repeats.fewest, repeats.most);
}

std::string short_statistic(const Repeats& repeats, const std::string& drawn) {
  if (repeats.most < 2) return "n = 1";
  const bool none = repeats.most < kFewestForInterval;
  const bool all = repeats.fewest >= kFewestForInterval;
  return fmt::format("median of {}, {}: {}", repeats_words(repeats), drawn,
                     none  ? "range"
                     : all ? "95 % interval"
                           : "range or 95 % interval");
}

std::string short_mode(const Frame& frame) {
  return frame.scaling == "throughput" ? "throughput mode" : frame.scaling + " scaling";
}

std::vector<std::string> figure_notes(const Frame& frame) {
  std::vector<std::string> notes{describe_mode(frame), describe_constants(frame),
                                 describe_use(frame)};
  const std::string sources = describe_sources(frame);
  if (!sources.empty()) notes.push_back(sources);
  const std::string uneven = describe_uneven_batches(frame);
  if (!uneven.empty()) notes.push_back(uneven);
  const std::string spread = describe_spread_batches(frame);
  if (!spread.empty()) notes.push_back(spread);
  const std::string warmup = describe_warmup(frame);
  if (!warmup.empty()) notes.push_back(warmup);
  return notes;
}

FigureAxis gpu_axis(const std::string& worker) {
  return {"gpus", worker + "s", 2, false, true};
}

FigureAxis batch_axis() {
  return {"global_batch", "global batch (samples)", 2, false, true};
}

CurveKey with_gpus(CurveKey key, int gpus) {
  key.push_back({"gpus", std::to_string(gpus)});
  return key;
}

namespace {

/// Returns the text "only NAME; " if all points are from the plan folder NAME although the frame
/// joins several folders. In this case, the legend does not name the folder, because the folder is
/// the same for all series. Returns an empty text in all other cases.
std::string only_source_words(const Frame& frame, const std::vector<AccuracyPoint>& points) {
  std::set<std::string> all, drawn;
  for (const RunRow& run : frame.runs) all.insert(run.source);
  for (const AccuracyPoint& point : points) {
    for (const RunRow* run : point.repeats) drawn.insert(run->source);
  }
  if (all.size() < 2 || drawn.size() != 1) return "";
  return fmt::format("only {}; ", *drawn.begin());
}

}  // namespace

std::string accuracy_subtitle(const Frame& frame, const std::vector<AccuracyPoint>& points) {
  return fmt::format("{}{}; {}", only_source_words(frame, points), short_mode(frame),
                     short_statistic(repeats_of(points)));
}

double train_s(const RunRow& run, int last_epoch) {
  double sum = 0;
  for (const EpochRow& epoch : run.epochs) {
    if (epoch.epoch <= last_epoch) sum += epoch.wall_s;
  }
  return sum;
}

TimeAxis time_axis(const std::string& title, double longest_s) {
  if (longest_s > kMostSeconds) return {{"train_h", title + " (h)", 0, true}, 3600};
  return {{"train_s", title + " (s)", 0, true}, 1};
}

FigureAxis value_axis(const std::string& id, const std::string& title, double least, double most) {
  if (least > 0 && most > kWideSpan * least) return {id, title, 10};
  return {id, title, 0, true};
}

}  // namespace dlscale::analysis
