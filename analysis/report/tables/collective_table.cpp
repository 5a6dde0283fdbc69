// SPDX-License-Identifier: Apache-2.0
// The table of collectives: times and bandwidths by message size.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kCollective = "collective";

/// Collective, type, in place, bytes: what is measured again by each repetition.
using Message = std::tuple<std::string, std::string, bool, std::int64_t>;
using Results = std::map<Message, std::vector<const CollectiveRow*>>;

Results results_of(const RunPoint& point) {
  Results results;
  for (const RunRow* run : point.repeats) {
    for (const CollectiveRow& row : run->collectives) {
      results[{row.collective, row.type, row.in_place, row.size_bytes}].push_back(&row);
    }
  }
  return results;
}

std::vector<double> collective_values_of(const std::vector<const CollectiveRow*>& rows,
                                         double CollectiveRow::*member) {
  std::vector<double> values;
  for (const CollectiveRow* row : rows) {
    if (std::isfinite(row->*member)) values.push_back(row->*member);
  }
  return values;
}

void add_message(Row row, const Message& message, const std::vector<const CollectiveRow*>& rows,
                 Table& table) {
  const auto& [collective, type, in_place, size_bytes] = message;
  const auto of = [&](double CollectiveRow::*member) { return collective_values_of(rows, member); };
  row.text(collective).text(type).text(in_place ? "in place" : "out of place");
  row.number(static_cast<double>(size_bytes)).number(static_cast<double>(rows.size()));
  add_median(row, of(&CollectiveRow::time_s));
  add_median(row, of(&CollectiveRow::algbw_gb_per_s));
  const std::vector<double> busbw = of(&CollectiveRow::busbw_gb_per_s);
  add_median(row, busbw);
  busbw.empty() ? row.nothing() : row.interval(interval_of_median(busbw));
  const std::vector<double> wrong = of(&CollectiveRow::wrong);
  wrong.empty() ? row.nothing() : row.number(*std::max_element(wrong.begin(), wrong.end()));
  row.into(table);
}

Repeats collective_repeats_of(const std::vector<Results>& all) {
  Repeats repeats;
  for (const Results& results : all) {
    for (const auto& [message, rows] : results) repeats.add(rows.size());
  }
  return repeats;
}

}  // namespace

Table collectives_table(const Frame& frame, const AnalysisOptions&) {
  std::vector<RunPoint> points = run_points(
      frame, [](const RunRow& run) { return completed(run) && !run.collectives.empty(); });
  std::vector<Results> all;
  for (RunPoint& point : points) {
    std::erase_if(point.key, [](const AxisValue& entry) { return entry.axis == kCollective; });
    all.push_back(results_of(point));  // the collective has a column of its own
  }
  const Start start(frame, keys_of(points));
  const Repeats repeats = collective_repeats_of(all);
  std::vector<std::string> notes{
      describe_statistic(repeats),
      "n measurements of a message size, each the mean of its iterations; algbw = size / time, "
      "busbw = algbw by the factor that makes collectives and rank counts comparable, both as "
      "the benchmark printed them",
      "wrong: elements, the most of the n; empty where nothing was checked"};
  notes.push_back(describe_use(frame));
  Table table = begin_table(start, "collectives", "Collectives of " + frame.study, std::move(notes),
                            {{kCollective, kCollective},
                             {"type", "type"},
                             {"buffers", "buffers"},
                             {"size_bytes", "size", "bytes", 0},
                             {"n", "n"},
                             {"time_s", "time", "us", 2, 1e6},
                             {"algbw_gb_per_s", "algbw", "GB/s", 2},
                             {"busbw_gb_per_s", "busbw", "GB/s", 2},
                             {"busbw_gb_per_s", interval_title(repeats), "GB/s", 2, 1, true},
                             {"wrong", "wrong"}});
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const auto& [message, rows] : all[i]) {
      add_message(start.row(points[i].key, points[i].first().gpus), message, rows, table);
    }
  }
  return table;
}

}  // namespace dlscale::analysis
