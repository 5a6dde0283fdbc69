// SPDX-License-Identifier: Apache-2.0
// What can be asked of a study by name, and how the answer is divided into tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/report/tables.hpp"

namespace dlscale::analysis {

struct Metric {
  const char* name;
  const char* summary;
  Table (*make)(const Frame& frame, const AnalysisOptions& options);
};

/// What docs/commands.md lists under `analyze --metric`.
std::span<const Metric> metrics();

/// Names of those that people look for first in such results: of training its speed, and accuracies
/// or what else was learnt; of inference latencies.
std::vector<std::string> first_metrics(const Frame& frame);

/// Throws base::UsageError with the nearest name and the list.
const Metric& find_metric(std::string_view name);

/// The metric's table. With `by`, the axes that tell curves of one table apart: one table for each
/// combination of the other varying axes. Throws base::UsageError for an unknown axis.
Report make_report(const Metric& metric, const Frame& frame, const AnalysisOptions& options,
                   const std::vector<std::string>& by);

}  // namespace dlscale::analysis
