// SPDX-License-Identifier: Apache-2.0
// The table of the generalisation gap: training beside test, loss and accuracy.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/metrics/scaling/generalisation.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
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

/// n, both sets, the gap and its interval.
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
      "gap: how much worse the test set is, at the last evaluation: test loss - training loss of "
      "that epoch; medians of the runs' gaps",
      "the training loss is the mean over the epoch, while parameters still changed, of augmented "
      "samples and smoothed labels where a study has these: a gap may be negative"};
  if (any_accuracy) notes.emplace_back("of accuracies: training - test");
  const auto evaluated = std::count_if(frame.runs.begin(), frame.runs.end(), &was_evaluated);
  const auto used = std::count_if(frame.runs.begin(), frame.runs.end(), &has_gap);
  if (evaluated > used) {
    notes.push_back(fmt::format(
        "{} left out: the training loss of the last epoch that was evaluated, or the test loss, "
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

}  // namespace dlscale::analysis
