// SPDX-License-Identifier: Apache-2.0
// Builds the table of counters.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/epoch_results.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

Table counters_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points = run_points(
      frame, [](const RunRow& run) { return completed(run) && !counters_of(run).empty(); });
  const Start start(frame, keys_of(points));
  std::vector<Column> columns{{.id = "counter", .title = "counter", .is_key = true}, {"n", "n"}};
  add_columns(columns, {"per_step", "per step", "", 3}, repeats_of(points));
  columns.push_back({"per_epoch", "per epoch", "", 1});
  Table table = begin_table(
      start, "counters", "Counters of " + frame.study,
      run_notes_of(
          frame, points,
          "counters as in the records of step windows (docs/results-format.md), medians "
          "over the n repeats that recorded them; per epoch = per step x steps of an "
          "epoch; bytes_sent and collectives are values of one rank, as means over the ranks"),
      columns);
  for (const RunPoint& point : points) {
    std::set<std::string> names;
    for (const RunRow* run : point.repeats) {
      for (const auto& [name, value] : counters_of(*run)) names.insert(name);
    }
    for (const std::string& name : names) {
      const std::vector<double> values =
          values_of(point, [&](const RunRow& run) -> std::optional<double> {
            const auto counters = counters_of(run);
            const auto found = counters.find(name);
            return found == counters.end() ? std::nullopt : std::optional(found->second);
          });
      if (values.empty()) continue;
      const std::int64_t steps_per_epoch = point.first().size.steps_per_epoch;
      Row row = start.row(point.key, point.first().gpus);
      row.text(name).number(static_cast<double>(values.size()));
      add_summary(row, values);
      steps_per_epoch > 0 ? row.number(median(values) * static_cast<double>(steps_per_epoch))
                          : row.nothing();
      row.into(table);
    }
  }
  return table;
}

}  // namespace dlscale::analysis
