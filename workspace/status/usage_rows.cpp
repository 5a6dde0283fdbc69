// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/usage_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include "analysis/metrics/statistics/summary.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "contract/records/launch_record.hpp"
#include "planner/site/site_reader.hpp"
#include "runner/status/launch_log.hpp"
#include "runner/status/poll.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/runs/run_progress.hpp"

namespace dlscale::workspace {
namespace {

using runner::JobState;

class UseReader {
 public:
  UseReader(const contract::Plan& plan, const contract::PlanDir& folder, const NodeMemory& memory)
      : plan_(plan), folder_(folder), memory_(memory) {
    for (const contract::PlannedJob& job : plan.jobs) jobs_[job.name] = &job;
  }

  LaunchUse use(const contract::PlannedRun& run, bool timed_out, std::optional<double> elapsed_s,
                std::optional<double> peak_memory_bytes) const {
    LaunchUse use{&run, timed_out, 0, elapsed_s, 0, 0, {}, peak_memory_bytes};
    const auto job = jobs_.find(run.job);
    if (job != jobs_.end()) {
      use.walltime_s = job->second->resources.walltime_s;
      const auto memory = memory_.find(job->second->partition);
      if (memory != memory_.end()) use.memory_bytes = memory->second;
    }
    if (use.walltime_s <= 0) {
      use.gpu_hours_used = run.gpus * elapsed_s.value_or(0) / 3600;
      return use;
    }
    // The GPU-hours of a run include resources that other jobs cannot use. The used hours are the
    // charged hours in proportion to the used time.
    const double asked = run.gpus * use.walltime_s / 3600;
    const bool alone = job->second->kind != contract::JobKind::packed;
    const double charged = alone && run.gpu_hours > 0 ? run.gpu_hours : asked;
    use.gpu_hours = charged;
    use.gpu_hours_used = charged * elapsed_s.value_or(0) / use.walltime_s;
    return use;
  }

  /// Returns the use of the last launch of a run from the records of the run.
  LaunchUse by_records(const contract::PlannedRun& run, const runner::PolledRun& polled) {
    const RunProgress progress = read_progress(folder_, run, polled, 0);
    return use(run, polled.state == JobState::TimedOut, progress.elapsed_s, peak_of_node(run));
  }

  /// Estimates the peak memory of a node: the peak of the largest rank times the number of ranks on
  /// the node. The number of ranks comes from the hosts in the records if possible. The plan is
  /// only the second choice, because a job may get a different number of nodes than planned.
  std::optional<double> peak_of_node(const contract::PlannedRun& run) const {
    const auto memory = rank_memory(folder_, run.run_id);
    if (!memory) return std::nullopt;
    const auto job = jobs_.find(run.job);
    const int planned =
        job == jobs_.end() ? 1 : std::min(job->second->resources.ranks_per_node, run.gpus);
    return memory->peak_bytes * (memory->ranks_per_node > 0 ? memory->ranks_per_node : planned);
  }

 private:
  const contract::Plan& plan_;
  const contract::PlanDir& folder_;
  const NodeMemory& memory_;
  std::unordered_map<std::string, const contract::PlannedJob*> jobs_;
};

std::optional<double> elapsed_of(const runner::LoggedRun& word) {
  if (word.elapsed_s > 0) return word.elapsed_s;
  if (word.started_at > 0 && word.ended_at > word.started_at) {
    return word.ended_at - word.started_at;
  }
  return std::nullopt;
}

std::optional<double> median_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(analysis::median(values));
}

contract::UsageRow row_of(const std::vector<const LaunchUse*>& uses) {
  contract::UsageRow row;
  std::vector<double> walltimes, elapsed, shares, memory, peaks;
  for (const LaunchUse* use : uses) {
    ++row.launches;
    row.timeouts += use->timed_out ? 1 : 0;
    row.gpu_hours += use->gpu_hours;
    row.gpu_hours_used += use->gpu_hours_used;
    if (use->walltime_s > 0) walltimes.push_back(use->walltime_s);
    if (use->elapsed_s) elapsed.push_back(*use->elapsed_s);
    if (use->elapsed_s && use->walltime_s > 0) {
      shares.push_back(*use->elapsed_s / use->walltime_s);
    }
    if (use->memory_bytes) memory.push_back(*use->memory_bytes);
    if (use->peak_memory_bytes) peaks.push_back(*use->peak_memory_bytes);
  }
  row.walltime_s = median_of(walltimes);
  row.elapsed_s = median_of(elapsed);
  row.walltime_used = median_of(shares);
  row.memory_bytes = median_of(memory);
  if (!elapsed.empty()) row.elapsed_max_s = *std::max_element(elapsed.begin(), elapsed.end());
  if (!peaks.empty()) row.peak_memory_bytes = *std::max_element(peaks.begin(), peaks.end());
  return row;
}

/// Unit in which a column shows its times. It suits the longest time of the column.
struct TimeUnit {
  const char* name;
  double scale;
  int decimals;
};

TimeUnit time_unit(const std::vector<contract::UsageRow>& rows) {
  double longest_s = 0;
  for (const contract::UsageRow& row : rows) {
    longest_s = std::max({longest_s, row.walltime_s.value_or(0), row.elapsed_max_s.value_or(0)});
  }
  if (longest_s < 600) return {"s", 1, 1};
  return longest_s < 4 * 3600 ? TimeUnit{"min", 1.0 / 60, 1} : TimeUnit{"h", 1.0 / 3600, 2};
}

analysis::Cell usage_cell(const std::optional<double>& value) {
  return value ? analysis::Cell(*value) : analysis::Cell();
}

std::vector<analysis::Column> usage_columns(const std::vector<UsageFacet>& facets, TimeUnit time) {
  std::vector<analysis::Column> columns;
  for (const UsageFacet& facet : facets) columns.push_back({facet.name, facet.name, ""});
  const analysis::Column measured[] = {
      {"launches", "launches", ""},
      {"timeouts_share", "timed out", "%", 0, 100},
      {"walltime_s", "walltime requested", time.name, time.decimals, time.scale},
      {"elapsed_s", "time used", time.name, time.decimals, time.scale},
      {"elapsed_max_s", "most time used", time.name, time.decimals, time.scale},
      {"walltime_used", "share used", "%", 0, 100},
      {"gpu_hours", "GPU-hours requested", "", 2},
      {"gpu_hours_used", "GPU-hours used", "", 2},
      {"memory_bytes", "node memory", "GB", 1, 1e-9},
      {"peak_memory_bytes", "peak", "GB", 1, 1e-9},
  };
  columns.insert(columns.end(), std::begin(measured), std::end(measured));
  return columns;
}

std::vector<analysis::Cell> usage_cells(const contract::UsageRow& row,
                                        const std::vector<UsageFacet>& facets) {
  std::vector<analysis::Cell> cells;
  for (const UsageFacet& facet : facets) {
    const auto found = row.by.find(facet.name);
    cells.emplace_back(found == row.by.end() ? "all" : found->second);
  }
  const double launches = row.launches;
  for (const std::optional<double>& value :
       {std::optional(launches), std::optional(row.timeouts / launches), row.walltime_s,
        row.elapsed_s, row.elapsed_max_s, row.walltime_used,
        row.gpu_hours > 0 ? std::optional(row.gpu_hours) : std::nullopt,
        std::optional(row.gpu_hours_used), row.memory_bytes, row.peak_memory_bytes}) {
    cells.push_back(usage_cell(value));
  }
  return cells;
}

}  // namespace

NodeMemory node_memory(const contract::PlanDir& folder) {
  constexpr double kGb = 1e9;
  NodeMemory memory;
  if (!std::filesystem::exists(folder.site_toml())) return memory;
  const auto site = planner::read_site(base::read_file(folder.site_toml()), folder.site_toml());
  for (const planner::Partition& partition : site.partitions) {
    if (partition.memory_gb > 0) memory[partition.name] = partition.memory_gb * kGb;
  }
  return memory;
}

std::vector<LaunchUse> read_uses(const contract::Plan& plan, const contract::PlanDir& folder,
                                 const RunIds& runs, const NodeMemory& memory) {
  std::unordered_map<std::string, const contract::PlannedRun*> chosen;
  for (const contract::PlannedRun& run : plan.runs) {
    if (runs.contains(run.run_id)) chosen[run.run_id] = &run;
  }
  UseReader reader(plan, folder, memory);
  const auto polled_runs = runner::states_in_files(plan, folder);
  std::vector<LaunchUse> uses;
  std::unordered_map<std::string, std::size_t> last;  // index of the last launch of each run
  runner::LaunchHistory history;
  if (std::filesystem::exists(folder.launch_log())) {
    for (const auto& record : contract::parse_launch_log(base::read_file(folder.launch_log()))) {
      history.add_record(record);
      const auto run = chosen.find(record.run_id);
      const auto* word = history.last_entry(record.run_id);
      if (record.event != "ended" || run == chosen.end() || word == nullptr) continue;
      // The run ended while it waited, without using resources.
      if (word->started_at == 0 && word->elapsed_s == 0) continue;
      last[record.run_id] = uses.size();
      uses.push_back(reader.use(
          *run->second, word->state == JobState::TimedOut, elapsed_of(*word),
          word->peak_memory_bytes > 0 ? std::optional(word->peak_memory_bytes) : std::nullopt));
    }
  }
  for (const contract::PlannedRun& run : plan.runs) {
    const runner::PolledRun& polled = polled_runs.at(run.run_id);
    if (!chosen.contains(run.run_id) || !runner::has_ended(polled.state)) continue;
    const auto known = last.find(run.run_id);
    if (known != last.end() && uses[known->second].peak_memory_bytes) continue;
    const LaunchUse own = reader.by_records(run, polled);
    if (known != last.end()) {
      uses[known->second].peak_memory_bytes = own.peak_memory_bytes;
    } else if (own.elapsed_s) {
      uses.push_back(own);
    }
  }
  return uses;
}

std::vector<UsageFacet> usage_facets(const contract::Plan& plan,
                                     const std::vector<std::string>& names) {
  const std::vector<RunColumn> columns = plan_columns(plan);
  std::vector<std::string> known;
  for (const RunColumn& column : columns) known.push_back(column.name);
  std::vector<UsageFacet> facets;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) throw base::UsageError(base::unknown_name("axis", name, known));
    const RunColumn& column = columns[static_cast<std::size_t>(found - known.begin())];
    facets.push_back({name, [text = column.text](const contract::PlannedRun& run) {
                        return text({&run, {}});
                      }});
  }
  return facets;
}

std::vector<contract::UsageRow> usage_rows(std::vector<LaunchUse> uses,
                                           const std::vector<UsageFacet>& facets) {
  std::stable_sort(uses.begin(), uses.end(), [](const LaunchUse& a, const LaunchUse& b) {
    return std::less<>()(a.run, b.run);  // order of the runs in the plan
  });
  std::vector<std::map<std::string, std::string>> order;
  std::map<std::map<std::string, std::string>, std::vector<const LaunchUse*>> groups;
  for (const LaunchUse& use : uses) {
    std::map<std::string, std::string> by;
    for (const UsageFacet& facet : facets) by[facet.name] = facet.value(*use.run);
    auto [group, is_new] = groups.try_emplace(by);
    if (is_new) order.push_back(by);
    group->second.push_back(&use);
  }
  std::vector<contract::UsageRow> rows;
  for (const auto& by : order) {
    rows.push_back(row_of(groups.at(by)));
    rows.back().by = by;
  }
  return rows;
}

analysis::Table usage_table(const std::string& study, const std::vector<contract::UsageRow>& rows,
                            const std::vector<UsageFacet>& facets) {
  analysis::Table table;
  table.id = "usage";
  table.title = "Requested and used: " + study;
  table.notes = {
      "The table contains only launches that have ended. Walltimes and times are medians. \"share "
      "used\" is the median share of the requested walltime that a launch used. GPU-hours are sums "
      "of the charged GPU-hours.",
      "Times and memory come from the accounting of the batch system if available. Otherwise the "
      "time comes from the launch log or the records of the run, and the peak is the memory of the "
      "largest rank times the number of ranks per node."};
  table.columns = usage_columns(facets, time_unit(rows));
  for (const contract::UsageRow& row : rows) table.rows.push_back(usage_cells(row, facets));
  return table;
}

}  // namespace dlscale::workspace
