// SPDX-License-Identifier: Apache-2.0
// What launches asked for and what they took.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/view_records.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// A launch that has ended.
struct LaunchUse {
  const contract::PlannedRun* run = nullptr;
  bool timed_out = false;
  double walltime_s = 0;            ///< asked for; 0 = no limit
  std::optional<double> elapsed_s;  ///< taken
  double gpu_hours = 0;             ///< asked for: its share of its job; 0 = without limit
  double gpu_hours_used = 0;
  std::optional<double> memory_bytes;       ///< of a node of its partition
  std::optional<double> peak_memory_bytes;  ///< of the node that used most
};

/// Memory of a partition's nodes in bytes, by its name, where it is known.
using NodeMemory = std::map<std::string, double>;
/// As the plan's copy of the site file says; nothing where that says nothing.
NodeMemory node_memory(const contract::PlanDir& folder);

/// The launches of `runs`, by the launch log: times and memory by the batch system's books where it
/// keeps some, else by the log's own and the run's records. Of a run that the log knows no end of,
/// the last launch by its own records.
std::vector<LaunchUse> read_uses(const contract::Plan& plan, const contract::PlanDir& folder,
                                 const RunIds& runs, const NodeMemory& memory);

/// What tells rows apart, and what it is for a run.
struct UsageFacet {
  std::string name;
  std::function<std::string(const contract::PlannedRun& run)> value;
};

/// Facets of these columns of a plan: its axes, gpus and the like. Throws base::UsageError with the
/// nearest name for a column that the plan does not have.
std::vector<UsageFacet> usage_facets(const contract::Plan& plan,
                                     const std::vector<std::string>& names);

/// A row for each combination of the facets' values, in the plan's order.
std::vector<contract::UsageRow> usage_rows(std::vector<LaunchUse> uses,
                                           const std::vector<UsageFacet>& facets);

/// The rows as a table whose first columns are the facets. A row without a facet's value is about
/// all of its values.
analysis::Table usage_table(const std::string& study, const std::vector<contract::UsageRow>& rows,
                            const std::vector<UsageFacet>& facets);

}  // namespace dlscale::workspace
