// SPDX-License-Identifier: Apache-2.0
// Lists the metrics of a study by name, and builds their tables.
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
  const char* needs;           ///< minimum, e.g. "a completed run with timed steps"
  bool (*has)(const RunRow&);  ///< test whether a run meets `needs`
  const char* also = "";       ///< further condition on all such runs together; empty: none
};

/// Returns the metrics that docs/commands.md lists under `analyze --metric`.
std::span<const Metric> metrics();

/// Returns the names of the metrics to show first for these results: speed and accuracy or other
/// learning results for training, latencies for inference.
std::vector<std::string> first_metrics(const Frame& frame);

/// Returns the metric with this name. Throws base::UsageError with the nearest name and the list of
/// names.
const Metric& find_metric(std::string_view name);

/// Returns what the runs lack for a row in the metric's table. The table must have no rows.
std::string why_nothing(const Metric& metric, const Frame& frame, const AnalysisOptions& options);

/// Returns the metric's table. `by` names the axes that distinguish the curves of one table. With
/// `by`, the report has one table for each combination of the other varying axes. Throws
/// base::UsageError for an unknown axis.
Report make_report(const Metric& metric, const Frame& frame, const AnalysisOptions& options,
                   const std::vector<std::string>& by);

}  // namespace dlscale::analysis
