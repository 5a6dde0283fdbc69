// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale usage`, which compares the resources that jobs requested with the resources
// that they used.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/status/usage_rows.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

struct UsageOptions {
  std::string folder = ".";
  workspace::SelectionChoice selection;
  std::vector<std::string> by{"gpus"};
  std::string format = "text";
  bool json = false;
};

int usage(const UsageOptions& options) {
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const contract::PlanDir folder{fs::path(options.folder)};
  const contract::Plan plan = contract::read_plan(folder);
  const std::vector<workspace::UsageFacet> facets = workspace::usage_facets(plan, options.by);
  const workspace::RunIds runs = workspace::select_runs(plan, options.selection);
  const std::vector<workspace::LaunchUse> uses =
      workspace::read_uses(plan, folder, runs, workspace::node_memory(folder));
  if (uses.empty()) {
    fmt::print(stderr, "dlscale: nothing to show: no launch has ended\n");
    return options.selection.allow_empty ? kExitOk : kExitNothingMatched;
  }
  std::vector<contract::UsageRow> rows = workspace::usage_rows(uses, facets);
  if (rows.size() > 1) rows.push_back(workspace::usage_rows(uses, {}).front());
  std::cout << (options.json ? to_json(rows)
                             : writer.render({{workspace::usage_table(plan.study, rows, facets)}}));
  return kExitOk;
}

Action define_usage(CLI::App& app) {
  const auto options = std::make_shared<UsageOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  app.add_option("--by", options->by, "axes for the rows, separated by commas (default: gpus)")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* format = app.add_option("--format", options->format, "output format")
                            ->type_name(one_of({"text", "markdown", "csv", "latex"}))
                            ->capture_default_str();
  app.add_flag("--json", options->json, "print a JSON list of objects")->excludes(format);
  return [options] { return usage(*options); };
}

}  // namespace

extern const CommandEntry usage_entry;
const CommandEntry usage_entry{
    .name = "usage",
    .summary = "Show requested and used walltime, GPU-hours and memory of launches",
    .example =
        "dlscale usage study --by framework,gpus\n"
        "  dlscale usage study --format csv",
    .define = &define_usage,
};

}  // namespace dlscale::cli
