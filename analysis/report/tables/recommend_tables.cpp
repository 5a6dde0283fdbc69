// SPDX-License-Identifier: Apache-2.0
// The table of what to take with a budget of GPUs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/metrics/scaling/recommendation.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/cautions.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {
namespace {

/// "framework=ddp, gpus=4": what tells the configuration from others of the same work.
std::string recommended_name_of(const Contestant& one, const std::vector<std::string>& axes) {
  std::string name;
  for (const std::string& axis : axes) {
    if (!changes_work(axis)) name += fmt::format("{}={}, ", axis, value_of(one.key, axis));
  }
  return fmt::format("{}gpus={}", name, one.gpus);
}

std::vector<Column> recommended_columns_of(const std::vector<std::string>& work_axes,
                                           const std::string& worker) {
  std::vector<Column> columns;
  for (const std::string& axis : work_axes) columns.push_back({axis, axis_title(axis, worker)});
  columns.push_back({"budget_gpus", "at most " + worker + "s"});
  columns.push_back({"fastest", "fastest"});
  columns.push_back({"n", "n"});
  columns.push_back({"throughput_samples_per_s", "throughput", "samples/s", 1});
  columns.push_back({"samples_per_gpu_hour", "samples/" + worker + "-h"});
  columns.push_back({"equal_p", "p equal", "", 4, 1, false, true});
  columns.push_back({"as_fast", "as fast"});
  columns.push_back({"untested", "too few repeats to tell"});
  return columns;
}

std::string recommended_names(const std::vector<Contestant>& list,
                              const std::vector<std::string>& axes) {
  std::vector<std::string> names;
  for (const Contestant& one : list) names.push_back(recommended_name_of(one, axes));
  return fmt::format("{}", fmt::join(names, "; "));
}

}  // namespace

Table recommend_table(const Frame& frame, const AnalysisOptions& options) {
  std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Start start(frame, keys_of(curves));
  std::vector<std::string> notes{
      describe_mode(frame), describe_statistic(repeats_of(curves)),
      "fastest: the highest throughput with at most so many " + start.worker +
          "s; as fast: what the repeats cannot tell from it "
          "(Mann-Whitney, Holm, 5 %), the fewest " +
          start.worker +
          "s first; too few repeats to tell: no result of so few could have been significant; p "
          "equal: of all in the budget being equally fast (Kruskal-Wallis)"};
  std::erase_if(curves, [&](const ScalingCurve& curve) {
    if (curve.mixed.empty() || options.allow_mixed) return false;
    notes.push_back(fmt::format("{}: left out, {} (--mixed takes it in)",
                                name_among(curve.key, start.axes), curve.mixed));
    return true;
  });
  add_cautions(notes, curves);
  if (const std::string text = caution_of_unrepeated(curves); !text.empty()) notes.push_back(text);
  add_frame_notes(notes, frame);
  Table table{"recommend", "What to take in " + frame.study, std::move(notes), {}, {}};
  std::vector<std::string> work_axes;
  for (const std::string& axis : start.axes) {
    if (changes_work(axis)) work_axes.push_back(axis);
  }
  table.columns = recommended_columns_of(work_axes, start.worker);
  for (const Recommendation& one : recommendations(curves)) {
    Row row;
    for (const std::string& axis : work_axes) row.text(value_of(one.work, axis));
    const double per_s = 1 / median(one.fastest.seconds_per_sample);
    row.number(one.budget_gpus).text(recommended_name_of(one.fastest, start.axes));
    row.number(static_cast<double>(one.fastest.seconds_per_sample.size()));
    row.number(per_s).number(per_s * 3600 / one.fastest.gpus).number(one.equal_p);
    row.text(recommended_names(one.as_fast, start.axes));
    row.text(recommended_names(one.untested, start.axes)).into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
