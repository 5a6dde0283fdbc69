// SPDX-License-Identifier: Apache-2.0
// The table of verdicts: which of two configurations is faster.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/metrics/scaling/verdict.hpp"
#include "analysis/metrics/statistics/normality.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

std::string word_of(Finding finding) {
  switch (finding) {
    case Finding::Faster:
      return "A is faster";
    case Finding::NotDistinguishable:
      return "not distinguishable";
    case Finding::TooFewRepeats:
      return "too few repeats";
  }
  return "";
}

std::string value_in(const Contestant& one, const std::string& axis) {
  return axis_text(axis, axis == kGpus ? std::to_string(one.gpus) : value_of(one.key, axis));
}

/// What both contestants share of the axes that vary in the table.
std::string shared_place(const Verdict& verdict, const std::vector<std::string>& axes) {
  std::vector<std::string> parts;
  for (const std::string& axis : axes) {
    if (axis != verdict.axis) parts.push_back(value_in(verdict.a, axis));
  }
  if (verdict.axis != kGpus) parts.push_back(value_in(verdict.a, kGpus));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_shape_note(std::vector<std::string>& notes, const std::vector<ScalingCurve>& curves) {
  int judged = 0;
  int unlike = 0;
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      const std::optional<bool> normal = looks_normal(logs_of(point.seconds_per_sample));
      if (!normal) continue;
      ++judged;
      unlike += !*normal;
    }
  }
  if (judged == 0) return;
  notes.push_back(
      fmt::format("logarithms of times do not look normal at {} of {} (Anderson-Darling, 5 %)",
                  unlike, base::count_of(judged, "point")));
}

std::vector<std::string> verdict_notes_of(const Frame& frame,
                                          const std::vector<ScalingCurve>& curves,
                                          const Verdicts& verdicts) {
  std::vector<std::string> notes{
      describe_mode(frame),
      "A takes less time per sample; time B/A: median of all ratios (Hodges-Lehmann) with its 95 % "
      "interval, or the range of all where n is too small for one",
      "p: Mann-Whitney, exact up to 20 repeats, two-sided; adjusted among all pairs that could "
      "differ (Holm): wrong in at most 5 of 100 tables; p of means: permutations of mean "
      "logarithms, which decide nothing",
      "not distinguishable is no proof of equality: smaller ratios than detectable are missed "
      "more than 2 times of 10"};
  add_shape_note(notes, curves);
  for (std::size_t i = 0; i < std::min(kMostRefusedShown, verdicts.refused.size()); ++i) {
    notes.push_back(fmt::format("not compared: {} (--mixed compares anyway)", verdicts.refused[i]));
  }
  if (verdicts.refused.size() > kMostRefusedShown) {
    notes.push_back(fmt::format("not compared: {} pairs more at unequal conditions",
                                verdicts.refused.size() - kMostRefusedShown));
  }
  add_frame_notes(notes, frame);
  return notes;
}

}  // namespace

Table verdicts_table(const Frame& frame, const AnalysisOptions& options) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Verdicts verdicts = verdicts_between(curves, options.allow_mixed);
  const std::vector<std::string> axes = varying_axes(keys_of(curves));
  Table table{"verdicts",
              "Which is faster in " + frame.study,
              verdict_notes_of(frame, curves, verdicts),
              {{"at", "at"},
               {"a", "A"},
               {"b", "B"},
               {"n_a", "n A"},
               {"n_b", "n B"},
               {"time_ratio", "time B/A", "", 3},
               {"time_ratio", "interval", "", 3, 1, true},
               {"cliffs_delta", "Cliff's delta", "", 2},
               {"p", "p", "", 4, 1, false, true},
               {"adjusted_p", "adjusted p", "", 4, 1, false, true},
               {"p_of_logs", "p of means", "", 4, 1, false, true},
               {"detectable_ratio", "detectable", "", 3},
               {"verdict", "verdict"}},
              {}};
  for (const Verdict& one : verdicts.pairs) {
    Row row;
    row.text(shared_place(one, axes));
    row.text(value_in(one.a, one.axis)).text(value_in(one.b, one.axis));
    row.number(static_cast<double>(one.a.seconds_per_sample.size()));
    row.number(static_cast<double>(one.b.seconds_per_sample.size()));
    row.number(one.ratio.value).interval(one.ratio.interval).number(one.cliffs_delta);
    row.number(one.p).number(one.adjusted_p).number(one.p_of_logs);
    row.number(one.detectable);
    row.text(word_of(one.finding)).into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
