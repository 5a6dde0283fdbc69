// SPDX-License-Identifier: Apache-2.0
// Builds the table of results by epoch.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/metrics/scaling/epoch_results.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {
namespace {

/// Result of an epoch, with its column.
struct EpochColumn {
  std::optional<double> EpochResults::*member;
  Column column;
};

std::vector<EpochColumn> epoch_columns() {
  return {{&EpochResults::train_loss, {"train_loss", "training loss", "", 4}},
          {&EpochResults::test_loss, {"test_loss", "test loss", "", 4}},
          {&EpochResults::train_accuracy, {"train_accuracy", "training accuracy", "%", 2, 100}},
          {&EpochResults::test_accuracy, {"test_accuracy", "test accuracy", "%", 2, 100}},
          {&EpochResults::train_s, {"epoch_time_s", "training time", "s", 2}},
          {&EpochResults::test_s, {"eval_time_s", "test time", "s", 2}}};
}

/// Returns the results that at least one run recorded in one of its epochs.
std::vector<EpochColumn> recorded_columns(const std::vector<RunPoint>& points) {
  std::vector<EpochColumn> columns = epoch_columns();
  std::erase_if(columns, [&](const EpochColumn& one) {
    return std::ranges::none_of(points, [&](const RunPoint& point) {
      return std::ranges::any_of(point.repeats, [&](const RunRow* run) {
        const std::set<int> epochs = epochs_of(*run);
        return std::ranges::any_of(epochs, [&](int epoch) {
          return (epoch_results(*run, epoch).*one.member).has_value();
        });
      });
    });
  });
  return columns;
}

}  // namespace

Table epochs_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points = run_points(frame, &has_epochs);
  const Start start(frame, keys_of(points));
  const std::vector<EpochColumn> results = recorded_columns(points);
  std::vector<Column> columns{{.id = "epoch", .title = "epoch", .is_key = true}, {"n", "n"}};
  const Repeats most = repeats_of(points);
  const bool any_repeats = most.most > 1;
  for (const EpochColumn& one : results) {
    any_repeats ? add_columns(columns, one.column, most) : columns.push_back(one.column);
  }
  Table table = begin_table(
      start, "epochs", "Results by epoch of " + frame.study,
      run_notes_of(frame, points,
                   "epoch: number of epochs trained; training loss and accuracy are means over the "
                   "epoch, in which the parameters change; times are those of the slowest rank"),
      columns);
  for (const RunPoint& point : points) {
    std::map<int, std::size_t> repeats;  // number of repeats, by epoch
    for (const RunRow* run : point.repeats) {
      for (const int epoch : epochs_of(*run)) ++repeats[epoch];
    }
    for (const auto& [epoch, n] : repeats) {
      Row row = start.row(point.key, point.first().gpus);
      row.number(epoch + 1.0).number(static_cast<double>(n));
      for (const EpochColumn& one : results) {
        const std::vector<double> values = values_of(
            point, [&](const RunRow& run) { return epoch_results(run, epoch).*one.member; });
        any_repeats ? add_summary(row, values) : add_median(row, values);
      }
      row.into(table);
    }
  }
  return table;
}

}  // namespace dlscale::analysis
