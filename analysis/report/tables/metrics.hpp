// SPDX-License-Identifier: Apache-2.0
// What can be asked of a study by name, and how the answer is divided into tables.
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
  const char* needs;           ///< at least: "a completed run with timed steps"
  bool (*has)(const RunRow&);  ///< whether a run is one
  const char* also = "";       ///< what it needs of such runs together; empty: nothing
};

/// What docs/commands.md lists under `analyze --metric`.
std::span<const Metric> metrics();

/// Names of those that people look for first in such results: of training its speed, and accuracies
/// or what else was learnt; of inference latencies.
std::vector<std::string> first_metrics(const Frame& frame);

/// Throws base::UsageError with the nearest name and the list.
const Metric& find_metric(std::string_view name);

/// What the runs lack for the metric's table to have a row, where it has none.
std::string why_nothing(const Metric& metric, const Frame& frame, const AnalysisOptions& options);

/// The metric's table. With `by`, the axes that tell curves of one table apart: one table for each
/// combination of the other varying axes. Throws base::UsageError for an unknown axis.
Report make_report(const Metric& metric, const Frame& frame, const AnalysisOptions& options,
                   const std::vector<std::string>& by);

}  // namespace dlscale::analysis
