// SPDX-License-Identifier: Apache-2.0
// `dlscale usage`: what jobs asked for beside what they took.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/plan_folder_options.hpp"
#include "cli/options/selection_options.hpp"
#include "planner/site/site_reader.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/status/usage_rows.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

using contract::UsageRow;

struct UsageOptions {
  std::string folder = ".";
  workspace::SelectionChoice selection;
  std::vector<std::string> by{"gpus"};
  std::string format = "text";
  bool json = false;
};

/// As the plan's copy of the site file says; nothing where that says nothing.
workspace::NodeMemory node_memory(const contract::PlanDir& folder) {
  constexpr double kGb = 1e9;
  workspace::NodeMemory memory;
  if (!fs::exists(folder.site_toml())) return memory;
  const auto site = planner::read_site(base::read_file(folder.site_toml()), folder.site_toml());
  for (const planner::Partition& partition : site.partitions) {
    if (partition.memory_gb > 0) memory[partition.name] = partition.memory_gb * kGb;
  }
  return memory;
}

std::vector<workspace::UsageFacet> facets_of(const contract::Plan& plan,
                                             const std::vector<std::string>& names) {
  const std::vector<workspace::RunColumn> columns = workspace::plan_columns(plan);
  std::vector<std::string> known;
  for (const workspace::RunColumn& column : columns) known.push_back(column.name);
  std::vector<workspace::UsageFacet> facets;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) throw base::UsageError(base::unknown_name("axis", name, known));
    const workspace::RunColumn& column = columns[static_cast<std::size_t>(found - known.begin())];
    facets.push_back({name, [text = column.text](const contract::PlannedRun& run) {
                        return text({&run, {}});
                      }});
  }
  return facets;
}

/// Seconds as a table's columns show them: all in one unit that suits the longest.
struct TimeUnit {
  const char* name;
  double scale;
  int decimals;
};

TimeUnit time_unit(const std::vector<UsageRow>& rows) {
  double longest_s = 0;
  for (const UsageRow& row : rows) {
    longest_s = std::max({longest_s, row.walltime_s.value_or(0), row.elapsed_max_s.value_or(0)});
  }
  if (longest_s < 600) return {"s", 1, 1};
  return longest_s < 4 * 3600 ? TimeUnit{"min", 1.0 / 60, 1} : TimeUnit{"h", 1.0 / 3600, 2};
}

analysis::Cell cell(const std::optional<double>& value) {
  return value ? analysis::Cell(*value) : analysis::Cell();
}

std::vector<analysis::Column> columns_of(const std::vector<workspace::UsageFacet>& facets,
                                         TimeUnit time) {
  std::vector<analysis::Column> columns;
  for (const workspace::UsageFacet& facet : facets) columns.push_back({facet.name, facet.name, ""});
  const analysis::Column measured[] = {
      {"launches", "launches", ""},
      {"timeouts_share", "timed out", "%", 0, 100},
      {"walltime_s", "walltime asked", time.name, time.decimals, time.scale},
      {"elapsed_s", "used", time.name, time.decimals, time.scale},
      {"elapsed_max_s", "most used", time.name, time.decimals, time.scale},
      {"walltime_used", "used of it", "%", 0, 100},
      {"gpu_hours", "GPU-hours asked", "", 2},
      {"gpu_hours_used", "used", "", 2},
      {"memory_bytes", "node memory", "GB", 1, 1e-9},
      {"peak_memory_bytes", "peak", "GB", 1, 1e-9},
  };
  columns.insert(columns.end(), std::begin(measured), std::end(measured));
  return columns;
}

std::vector<analysis::Cell> cells_of(const UsageRow& row,
                                     const std::vector<workspace::UsageFacet>& facets) {
  std::vector<analysis::Cell> cells;
  for (const workspace::UsageFacet& facet : facets) {
    const auto found = row.by.find(facet.name);
    cells.emplace_back(found == row.by.end() ? "all" : found->second);
  }
  const double launches = row.launches;
  for (const std::optional<double>& value :
       {std::optional(launches), std::optional(row.timeouts / launches), row.walltime_s,
        row.elapsed_s, row.elapsed_max_s, row.walltime_used,
        row.gpu_hours > 0 ? std::optional(row.gpu_hours) : std::nullopt,
        std::optional(row.gpu_hours_used), row.memory_bytes, row.peak_memory_bytes}) {
    cells.push_back(cell(value));
  }
  return cells;
}

analysis::Report report_of(const contract::Plan& plan, const std::vector<UsageRow>& rows,
                           const std::vector<workspace::UsageFacet>& facets) {
  analysis::Table table;
  table.id = "usage";
  table.title = "Asked for and used: " + plan.study;
  table.notes = {
      "Launches that have ended. Walltimes and times used are medians, \"used of it\" is the "
      "median "
      "of each launch's share; GPU-hours are sums of what is charged.",
      "Times and memory by the batch system's books where it keeps some. Else the time is that of "
      "the launch log or the run's records, and the peak is the largest rank's memory times the "
      "ranks of a node."};
  table.columns = columns_of(facets, time_unit(rows));
  for (const UsageRow& row : rows) table.rows.push_back(cells_of(row, facets));
  return {{table}};
}

int usage(const UsageOptions& options) {
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const contract::PlanDir folder{fs::path(options.folder)};
  const contract::Plan plan = contract::read_plan(folder);
  const std::vector<workspace::UsageFacet> facets = facets_of(plan, options.by);
  const workspace::RunIds runs = workspace::select_runs(plan, options.selection);
  const std::vector<workspace::LaunchUse> uses =
      workspace::read_uses(plan, folder, runs, node_memory(folder));
  if (uses.empty()) {
    fmt::print(stderr, "dlscale: nothing to show: no launch has ended\n");
    return options.selection.allow_empty ? kExitOk : kExitNothingMatched;
  }
  std::vector<UsageRow> rows = workspace::usage_rows(uses, facets);
  if (rows.size() > 1) rows.push_back(workspace::usage_rows(uses, {}).front());
  std::cout << (options.json ? to_json(rows) : writer.render(report_of(plan, rows, facets)));
  return kExitOk;
}

Action define_usage(CLI::App& app) {
  const auto options = std::make_shared<UsageOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  app.add_option("--by", options->by,
                 "axes that tell the rows apart, parted by commas (default: gpus)")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* format = app.add_option("--format", options->format, "how to write it")
                            ->type_name(one_of({"text", "markdown", "csv", "latex"}))
                            ->capture_default_str();
  app.add_flag("--json", options->json, "a list of objects")->excludes(format);
  return [options] { return usage(*options); };
}

}  // namespace

extern const CommandEntry usage_entry;
const CommandEntry usage_entry{
    .name = "usage",
    .summary = "Show walltime, GPU-hours and memory that launches asked for and used",
    .example =
        "dlscale usage study --by framework,gpus\n"
        "  dlscale usage study --format csv",
    .define = &define_usage,
};

}  // namespace dlscale::cli
