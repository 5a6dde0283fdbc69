// SPDX-License-Identifier: Apache-2.0
// Builds two tables: the gap between training and test results, and the pairwise comparison of
// configurations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/metrics/scaling/verdict.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

// Table of the generalisation gap between training and test, for loss and accuracy.

namespace {

using GapOf = std::optional<GeneralisationGap> (*)(const RunRow&);

std::vector<GeneralisationGap> gaps_of(const RunPoint& point, GapOf gap_of) {
  std::vector<GeneralisationGap> gaps;
  for (const RunRow* run : point.repeats) {
    if (const auto gap = gap_of(*run)) gaps.push_back(*gap);
  }
  return gaps;
}

Repeats repeats_with(const std::vector<RunPoint>& points, GapOf gap_of) {
  Repeats repeats;
  for (const RunPoint& point : points) {
    const std::size_t n = gaps_of(point, gap_of).size();
    if (n > 0) repeats.add(n);
  }
  return repeats;
}

/// Adds the cells of a gap: the number of repeats, the median on the training set, the median on
/// the test set, the median gap and the interval of the gap.
void add_gap(Row& row, const std::vector<GeneralisationGap>& gaps) {
  row.number(static_cast<double>(gaps.size()));
  if (gaps.empty()) {
    row.nothing().nothing().nothing().nothing();
    return;
  }
  std::vector<double> train, test, gap;
  for (const GeneralisationGap& one : gaps) {
    train.push_back(one.train);
    test.push_back(one.test);
    gap.push_back(one.gap);
  }
  row.number(median(train)).number(median(test)).number(median(gap));
  row.interval(interval_of_median(gap));
}

std::vector<Column> gap_columns_of(const std::vector<RunPoint>& points, bool any_accuracy) {
  const std::string loss_title = interval_title(repeats_with(points, &loss_gap));
  std::vector<Column> columns{{"epochs", "epochs"}};
  const auto add = [&](std::vector<Column> more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  add({{"n", "n"},
       {"train_loss", "training loss", "", 4},
       {"test_loss", "test loss", "", 4},
       {"loss_gap", "gap", "", 4},
       {"loss_gap", loss_title, "", 4, 1, true}});
  if (!any_accuracy) return columns;
  const std::string title = interval_title(repeats_with(points, &accuracy_gap));
  add({{"n_accuracy", "n"},
       {"train_accuracy", "training accuracy", "%", 2, 100},
       {"test_accuracy", "test accuracy", "%", 2, 100},
       {"accuracy_gap", "gap", "%", 2, 100},
       {"accuracy_gap", title, "%", 2, 100, true}});
  return columns;
}

bool was_evaluated(const RunRow& run) {
  return completed(run) && !run.evals.empty();
}

bool has_gap(const RunRow& run) {
  return loss_gap(run).has_value() || accuracy_gap(run).has_value();
}

std::vector<std::string> gap_notes_of(const Frame& frame, const std::vector<RunPoint>& points,
                                      bool any_accuracy) {
  Repeats repeats = repeats_with(points, &loss_gap);
  if (repeats.most == 0) repeats = repeats_with(points, &accuracy_gap);
  std::vector<std::string> notes{
      describe_mode(frame), describe_statistic(repeats),
      "gap = test loss - training loss, both of the epoch of the last evaluation; median over the "
      "repeats",
      "the training loss is the mean over an epoch in which the parameters change, with "
      "augmentation and label smoothing if a study uses them, so a gap can be negative"};
  if (any_accuracy) notes.emplace_back("gap of accuracies = training accuracy - test accuracy");
  const auto evaluated = std::count_if(frame.runs.begin(), frame.runs.end(), &was_evaluated);
  const auto used = std::count_if(frame.runs.begin(), frame.runs.end(), &has_gap);
  if (evaluated > used) {
    notes.push_back(
        fmt::format("{} omitted: the test loss, or the training loss of the last evaluated epoch, "
                    "was not recorded",
                    base::count_of(evaluated - used, "evaluated run")));
  }
  add_frame_notes(notes, frame);
  return notes;
}

}  // namespace

Table generalisation_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points = run_points(frame, &has_gap);
  const bool any_accuracy = repeats_with(points, &accuracy_gap).most > 0;
  const Start start(frame, keys_of(points));
  Table table =
      begin_table(start, "generalisation", "Generalisation gap of " + frame.study,
                  gap_notes_of(frame, points, any_accuracy), gap_columns_of(points, any_accuracy));
  for (const RunPoint& point : points) {
    std::vector<double> epochs;
    for (const RunRow* run : point.repeats) epochs.push_back(run->evals.back().epoch + 1.0);
    Row row = start.row(point.key, point.first().gpus);
    row.number(median(epochs));
    add_gap(row, gaps_of(point, &loss_gap));
    if (any_accuracy) add_gap(row, gaps_of(point, &accuracy_gap));
    row.into(table);
  }
  return table;
}

// Table of verdicts: which of two configurations is faster.

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

/// Returns the value of a configuration on an axis as text. `name_of` returns the shown name of the
/// axis.
template <class NameOf>
std::string value_in(const Contestant& one, const std::string& axis, NameOf name_of) {
  return axis_text(name_of(axis),
                   axis == kGpus ? std::to_string(one.gpus) : value_of(one.key, axis));
}

/// Returns a text with the axis values that both configurations of a pair have in common, for the
/// axes that vary in the table.
template <class NameOf>
std::string shared_place(const Verdict& verdict, const std::vector<std::string>& axes,
                         NameOf name_of) {
  std::vector<std::string> parts;
  for (const std::string& axis : axes) {
    if (axis != verdict.axis) parts.push_back(value_in(verdict.a, axis, name_of));
  }
  if (verdict.axis != kGpus) parts.push_back(value_in(verdict.a, kGpus, name_of));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Adds the row of a pair. `varying` are the axes that vary in the table, and `axes` all axes.
void add_verdict_row(Table& table, const Verdict& one, const std::vector<std::string>& varying,
                     const std::vector<std::string>& axes) {
  const auto text_of = [&](const Contestant& contestant) {
    return [&](auto name_of) { return value_in(contestant, one.axis, name_of); };
  };
  Row row;
  row.axes_text([&](auto name_of) { return shared_place(one, varying, name_of); }, axes);
  row.axes_text(text_of(one.a), axes).axes_text(text_of(one.b), axes);
  row.number(static_cast<double>(one.a.seconds_per_sample.size()));
  row.number(static_cast<double>(one.b.seconds_per_sample.size()));
  row.number(one.ratio.value).interval(one.ratio.interval).number(one.cliffs_delta);
  row.number(one.p).number(one.adjusted_p).number(one.p_of_logs);
  row.number(one.detectable);
  row.text(word_of(one.finding)).into(table);
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
      fmt::format("the logarithms of the times are not normally distributed at {} of {} "
                  "(Anderson-Darling, 5 %)",
                  unlike, base::count_of(judged, "point")));
}

std::vector<std::string> verdict_notes_of(const Frame& frame,
                                          const std::vector<ScalingCurve>& curves,
                                          const Verdicts& verdicts) {
  std::vector<std::string> notes{
      describe_mode(frame),
      "A is the configuration that takes less time per sample; time B/A: median of all ratios "
      "(Hodges-Lehmann) with its 95 % interval, or the range of all ratios if n is too small for "
      "an interval",
      "p: two-sided Mann-Whitney test, exact up to 20 repeats; adjusted p: Holm correction over "
      "all pairs that could be significant, so that at most 5 of 100 tables contain a wrong "
      "verdict; p of means: permutation test of mean logarithms, not used for the verdict",
      "the verdict \"not distinguishable\" does not prove equality: a true ratio below the value "
      "in the column \"detectable\" is missed by the test in more than 2 of 10 cases"};
  add_shape_note(notes, curves);
  for (std::size_t i = 0; i < std::min(kMostRefusedShown, verdicts.refused.size()); ++i) {
    notes.push_back(
        fmt::format("not compared: {} (use --mixed to compare anyway)", verdicts.refused[i]));
  }
  if (verdicts.refused.size() > kMostRefusedShown) {
    notes.push_back(fmt::format("not compared: {} more pairs with different conditions",
                                verdicts.refused.size() - kMostRefusedShown));
  }
  add_frame_notes(notes, frame);
  return notes;
}

}  // namespace

Table verdicts_table(const Frame& frame, const AnalysisOptions& options) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Verdicts verdicts = verdicts_between(curves, options.allow_mixed);
  Table table{"verdicts",
              "Pairwise comparison of configurations in " + frame.study,
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
  const std::vector<std::string> varying = varying_axes(keys_of(curves));
  const std::vector<std::string> axes = axes_of(keys_of(curves));
  for (const Verdict& one : verdicts.pairs) add_verdict_row(table, one, varying, axes);
  return table;
}

}  // namespace dlscale::analysis
