// SPDX-License-Identifier: Apache-2.0
// Compares requested and used resources of launches.
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

/// An ended launch.
struct LaunchUse {
  const contract::PlannedRun* run = nullptr;
  bool timed_out = false;
  double walltime_s = 0;            ///< requested; 0: no limit
  std::optional<double> elapsed_s;  ///< used
  double gpu_hours = 0;             ///< requested, as share of its job; 0: no limit
  double gpu_hours_used = 0;
  std::optional<double> memory_bytes;       ///< memory of a node in the partition
  std::optional<double> peak_memory_bytes;  ///< memory of the node that used most
};

/// Memory of the nodes of each partition in bytes, where known.
using NodeMemory = std::map<std::string, double>;
/// Returns the memory from the plan's copy of the site file, where it is set.
NodeMemory node_memory(const contract::PlanDir& folder);

/// Returns the launches of `runs` from the launch log. Times and memory are from the accounting of
/// the scheduler if it has any, otherwise from the log and the records. For a run without a logged
/// end, the last launch comes from its records.
std::vector<LaunchUse> read_uses(const contract::Plan& plan, const contract::PlanDir& folder,
                                 const RunIds& runs, const NodeMemory& memory);

/// A column that distinguishes rows, and its value for a run.
struct UsageFacet {
  std::string name;
  std::function<std::string(const contract::PlannedRun& run)> value;
};

/// Returns facets for columns of a plan: its axes, gpus and others. Throws base::UsageError with
/// the nearest name for an unknown column.
std::vector<UsageFacet> usage_facets(const contract::Plan& plan,
                                     const std::vector<std::string>& names);

/// Returns a row for each combination of the values of the facets, in the order of the plan.
std::vector<contract::UsageRow> usage_rows(std::vector<LaunchUse> uses,
                                           const std::vector<UsageFacet>& facets);

/// Returns the rows as a table with the facets as first columns. A row without a value for a facet
/// covers all its values.
analysis::Table usage_table(const std::string& study, const std::vector<contract::UsageRow>& rows,
                            const std::vector<UsageFacet>& facets);

}  // namespace dlscale::workspace
