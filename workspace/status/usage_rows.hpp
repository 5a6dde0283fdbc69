// SPDX-License-Identifier: Apache-2.0
// Compares the resources that launches requested with the resources that they used.
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

/// Requested and used resources of a launch that has ended.
struct LaunchUse {
  const contract::PlannedRun* run = nullptr;
  bool timed_out = false;
  double walltime_s = 0;            ///< requested time in seconds; 0 = no limit
  std::optional<double> elapsed_s;  ///< used time in seconds
  double gpu_hours = 0;  ///< requested GPU-hours: the run's share of the job; 0 = no limit
  double gpu_hours_used = 0;
  std::optional<double> memory_bytes;       ///< memory of a node of the partition
  std::optional<double> peak_memory_bytes;  ///< peak memory of the node with the highest peak
};

/// Memory in bytes of the nodes of each partition. Partitions with unknown memory are missing.
using NodeMemory = std::map<std::string, double>;
/// Returns the memory of nodes that the site file in the plan folder states.
NodeMemory node_memory(const contract::PlanDir& folder);

/// Returns the use of each launch of `runs` in the launch log. Times and memory come from the
/// accounting of the scheduler, or from the log and the records if there is no accounting. If the
/// log does not contain the end of a run, the use of its last launch comes from the records of the
/// run.
std::vector<LaunchUse> read_uses(const contract::Plan& plan, const contract::PlanDir& folder,
                                 const RunIds& runs, const NodeMemory& memory);

/// Column that distinguishes rows: its name, and a function that returns its value for a run.
struct UsageFacet {
  std::string name;
  std::function<std::string(const contract::PlannedRun& run)> value;
};

/// Returns the facets with these names. A name is a column of the plan: an axis, gpus or another
/// column. Throws base::UsageError for an unknown column. The message suggests the most similar
/// name.
std::vector<UsageFacet> usage_facets(const contract::Plan& plan,
                                     const std::vector<std::string>& names);

/// Returns a row for each combination of the values of the facets, in the order of the plan.
std::vector<contract::UsageRow> usage_rows(std::vector<LaunchUse> uses,
                                           const std::vector<UsageFacet>& facets);

/// Returns the rows as a table. The facets are the first columns. A row without a value for a facet
/// covers all values of the facet.
analysis::Table usage_table(const std::string& study, const std::vector<contract::UsageRow>& rows,
                            const std::vector<UsageFacet>& facets);

}  // namespace dlscale::workspace
