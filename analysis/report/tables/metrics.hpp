// SPDX-License-Identifier: Apache-2.0
// Lists the metrics that `dlscale analyze --metric` accepts, and builds their tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

struct Metric {
  const char* name;
  const char* summary;
  Table (*make)(const Frame& frame, const AnalysisOptions& options);
  const char* needs;  ///< condition for a row in the table, e.g. "a completed run with timed steps"
  bool (*has)(const RunRow&);  ///< function that returns true if a run meets `needs`
  const char* also = "";  ///< further condition that these runs must meet together; empty: none
  /// True if a point has many rows, such as one for each epoch. A report leaves the table out if it
  /// is too long to be read.
  bool is_detailed = false;
};

/// Returns all metrics. docs/commands.md lists them under `analyze --metric`.
std::span<const Metric> metrics();

/// Returns the names of the metrics that suit these results best and are shown by default: for
/// training, metrics of speed and of accuracy or other learning results; for inference, latencies.
std::vector<std::string> first_metrics(const Frame& frame);

/// Returns the metric with this name. Throws base::UsageError for an unknown name. The message
/// suggests the most similar name and lists all names.
const Metric& find_metric(std::string_view name);

/// Returns the reason why the metric's table has no rows. Must only be called if the table has no
/// rows.
std::string why_nothing(const Metric& metric, const Frame& frame, const AnalysisOptions& options);

/// Returns a report of the metric. Without `by`, the report has a single table. `by` names the axes
/// whose values are compared within a table. The report then has one table for each combination of
/// values of the other axes that vary. `pivot` names an axis whose values stand next to each other
/// as groups of columns; empty: none. Throws base::UsageError for an unknown axis, and if no table
/// has the axis of `pivot`.
Report make_report(const Metric& metric, const Frame& frame, const AnalysisOptions& options,
                   std::vector<std::string> by, const std::string& pivot = "");

}  // namespace dlscale::analysis
