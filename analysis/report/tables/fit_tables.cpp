// SPDX-License-Identifier: Apache-2.0
// The table of scaling laws through the step times of each curve.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "analysis/metrics/scaling/step_law.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr int kReaches[] = {2, 8};

/// "a + b log2(G); a = 50.4 [50.1, 50.8], b = 0.34 [0.28, 0.4]"; of times in milliseconds.
std::string formula_of(const WeightedFit& one, Work work) {
  const double unit = one.fit.law->of_rate ? 1e-3 : 1e3;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < one.fit.coefficients.size(); ++i) {
    std::string part =
        fmt::format("{} = {:.4g}", static_cast<char>('a' + i), unit * one.fit.coefficients[i]);
    if (i < one.intervals.size()) {
      part += fmt::format(" [{:.4g}, {:.4g}]", unit * one.intervals[i].low,
                          unit * one.intervals[i].high);
    }
    parts.push_back(std::move(part));
  }
  return fmt::format("{}; {}", form_of(*one.fit.law, work).text, fmt::join(parts, ", "));
}

std::vector<Column> fit_columns_of() {
  std::vector<Column> columns{{"law", "law"},          {"formula", "T in ms"},
                              {"points", "points"},    {"leave_one_out", "left out", "%", 2, 100},
                              {"aicc", "AICc", "", 1}, {"weight", "weight", "", 2}};
  for (const int reach : kReaches) {
    const std::string id = fmt::format("step_time_at_{}x_s", reach);
    columns.push_back({id, fmt::format("step at {} times", reach), "ms", 2, 1000});
    columns.push_back({id, "95 % interval", "ms", 2, 1000, true});
  }
  return columns;
}

void add_law_rows(Table& table, const Start& start, const CurveKey& key,
                  const LawAverage& average) {
  const LawData& data = average.data();
  const auto last = static_cast<int>(data.last_gpus());
  for (const WeightedFit& one : average.fits()) {
    Row row = start.row(key, last);
    row.text(one.fit.law->name).text(formula_of(one, data.work));
    row.number(static_cast<double>(data.points.size())).number(one.fit.leave_one_out);
    row.number(one.fit.aicc).number(one.weight);
    for (const int reach : kReaches) {
      row.number(predicted_time(one.fit, data, reach * data.last_gpus())).nothing();
    }
    row.into(table);
  }
  Row row = start.row(key, last);
  row.text("average").text(fmt::format("best: {}", average.best().law->name));
  row.number(static_cast<double>(data.points.size())).nothing().nothing().number(1);
  for (const int reach : kReaches) {
    const Prediction at = average.predict(reach * data.last_gpus());
    row.number(at.time).interval({Interval::Kind::Confidence95, at.low, at.high});
  }
  row.into(table);
}

}  // namespace

Table fit_table(const Frame& frame, const AnalysisOptions& options) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Start start(frame, keys_of(curves));
  std::vector<std::string> notes{
      describe_mode(frame),
      fmt::format("step times of the law, G the {0}s, G0 the fewest measured; the {0}s shown are "
                  "the most measured, and times at 2 and 8 times as many are extrapolated",
                  start.worker),
      fmt::format(
          "coefficients are not negative, with 95 % intervals from resampled residuals; left "
          "out: root mean square error of each point predicted by the others; laws whose "
          "losses grow slower than any power of G are averaged with equal weights, unless "
          "their error is {:g} times the best",
          kRuledOut)};
  for (const ScalingCurve& curve : curves) {
    const std::string name = name_among(curve.key, start.axes);
    if (!curve.mixed.empty() && !options.allow_mixed) {
      notes.push_back(fmt::format("{}: no law, {} (--mixed fits anyway)", name, curve.mixed));
    } else if (curve.points.size() < kFewestForLaws) {
      notes.push_back(
          fmt::format("{}: no law through {}", name, base::count_of(curve.points.size(), "point")));
    } else if (!tells_step_times(curve)) {
      notes.push_back(fmt::format("{}: no law, its logs do not tell their steps", name));
    }
  }
  add_frame_notes(notes, frame);
  Table table = begin_table(start, "fit", "Scaling laws of " + frame.study, std::move(notes),
                            fit_columns_of());
  const auto is_fitted = [&](const ScalingCurve& curve) {
    return curve.points.size() >= kFewestForLaws && tells_step_times(curve) &&
           (curve.mixed.empty() || options.allow_mixed);
  };
  std::vector<Table> parts(curves.size());  // of which the rows alone
  base::parallel_for(curves.size(), [&](std::size_t i) {
    if (!is_fitted(curves[i])) return;
    add_law_rows(parts[i], start, curves[i].key, LawAverage(step_times(curves[i])));
  });
  for (Table& part : parts) {
    std::move(part.rows.begin(), part.rows.end(), std::back_inserter(table.rows));
  }
  return table;
}

}  // namespace dlscale::analysis
