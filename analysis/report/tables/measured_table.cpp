// SPDX-License-Identifier: Apache-2.0
// Builds the table of further quantities that the programs of the runs measured, such as the model
// FLOP utilisation.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {
namespace {

constexpr int kShownDigits = 4;
constexpr int kMostDecimals = 6;

/// Returns the number of decimals with which the largest of the values has kShownDigits digits.
int decimals_for(double largest) {
  if (!(largest > 0)) return kShownDigits - 1;
  const int before_point = static_cast<int>(std::floor(std::log10(largest))) + 1;
  return std::clamp(kShownDigits - before_point, 0, kMostDecimals);
}

/// Returns the quantities of all points, each with the largest absolute value of a run.
std::map<MeasuredColumn, double> largest_values(const std::vector<RunPoint>& points) {
  std::map<MeasuredColumn, double> largest;
  for (const RunPoint& point : points) {
    for (const RunRow* run : point.repeats) {
      for (const auto& [column, value] : run->measured) {
        double& known = largest[column];
        known = std::max(known, std::abs(value));
      }
    }
  }
  return largest;
}

/// Returns the ids of the columns that report writers write for a quantity: its value and the two
/// bounds of its interval.
std::vector<std::string> written_ids(const std::string& id) {
  return {id, id + "_low", id + "_high"};
}

/// Returns the table column of a quantity. `used` has the ids of the other columns. A quantity
/// whose name would repeat one of these ids gets an id with the prefix "measured_". A quantity may
/// also have the name of an axis, because begin_table renames the columns of such axes.
Column column_of(const MeasuredColumn& measured, double largest, std::set<std::string>& used) {
  std::string id = measured.name;
  const auto is_used = [&](const std::string& one) { return used.contains(one); };
  while (std::ranges::any_of(written_ids(id), is_used)) id.insert(0, "measured_");
  for (std::string& one : written_ids(id)) used.insert(std::move(one));
  std::string title = measured.name;
  std::replace(title.begin(), title.end(), '_', ' ');
  return {id, title, measured.unit, decimals_for(largest)};
}

}  // namespace

Table measured_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<RunPoint> points =
      run_points(frame, [](const RunRow& run) { return completed(run) && !run.measured.empty(); });
  const std::map<MeasuredColumn, double> quantities = largest_values(points);
  std::vector<Column> columns{{"n", "n"}};
  std::set<std::string> used{"n", kGpus};
  for (const auto& [measured, largest] : quantities) {
    add_columns(columns, column_of(measured, largest, used), repeats_of(points));
  }
  const Start start(frame, keys_of(points));
  Table table = begin_table(
      start, "measured", "Quantities measured by the programs of " + frame.study,
      run_notes_of(frame, points,
                   "the value of a run is the mean over its step windows, weighted by their time, "
                   "or the mean over its epochs, without warm-up; names and units come from the "
                   "log format or from the program"),
      columns);
  for (const RunPoint& point : points) {
    Row row = start.row(point.key, point.first().gpus);
    row.number(static_cast<double>(point.repeats.size()));
    for (const auto& [measured, largest] : quantities) {
      add_summary(row, values_of(point, [&](const RunRow& run) {
                    const auto found = run.measured.find(measured);
                    return found == run.measured.end() ? std::nullopt
                                                       : std::optional(found->second);
                  }));
    }
    row.into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
