// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale export`, which writes the database of a plan folder in formats for other
// programs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/store/export/study_export.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "workspace/chosen_study.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/parquet_converter.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace {

struct ExportOptions {
  std::string folder = ".";
  workspace::SelectionChoice selection;
  workspace::StateChoice states;
  std::string format = "csv";
  std::string output;
  std::vector<std::string> views;
  bool force = false;
};

workspace::RunIds chosen_runs(const ExportOptions& options, const contract::PlanDir& folder) {
  const contract::Plan plan = contract::read_plan(folder);
  const workspace::RunIds selected = workspace::select_runs(plan, options.selection);
  if (!options.states.narrows()) return selected;
  return workspace::keep_states(selected, options.states, workspace::states_now(plan, folder),
                                options.selection.allow_empty);
}

int export_views(const ExportOptions& options) {
  const analysis::ExportFormat& format = analysis::find_export_format(options.format);
  workspace::states_of(options.states);
  const contract::PlanDir folder{std::filesystem::path(options.folder)};
  const workspace::RunIds runs = chosen_runs(options, folder);
  if (runs.empty()) return kExitOk;  // `runs` is empty only with --allow-empty
  analysis::ExportRequest request{
      &format, options.output, {options.views.begin(), options.views.end()}, runs, options.force};
  std::optional<workspace::ParquetConverter> converter;
  if (format.is_converted) {
    converter.emplace();
    request.convert = [&](const std::filesystem::path& tables, const std::filesystem::path& into) {
      converter->convert(tables, into);
    };
  }
  const std::vector<analysis::Exported> written = analysis::export_study(folder, request);
  const std::string outdated = workspace::outdated_results(folder);
  if (!outdated.empty()) std::cerr << fmt::format("warning: {}\n", outdated);
  for (const analysis::Exported& one : written) {
    std::string views;
    for (const auto& [view, rows] : one.rows) {
      views += fmt::format("{}{}{}", views.empty() ? "" : ", ", base::count_of(rows, "row"),
                           one.rows.size() > 1 ? " of " + view : "");
    }
    std::cout << fmt::format("wrote {}: {}\n", one.file.string(), views);
  }
  return kExitOk;
}

Action define_export(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  std::vector<std::string> names;
  std::string known;
  for (const analysis::ExportFormat& format : analysis::export_formats()) {
    names.emplace_back(format.name);
    known += fmt::format("\n  {}: {}", format.name, format.summary);
  }
  add_folder_argument(app, options->folder, "collected plan folder (default: the current folder)");
  app.add_option("-o,--output", options->output, "folder or file to write")
      ->required()
      ->type_name(value_kind::kFile);
  app.add_option("--format", options->format, "output format:" + known)
      ->type_name(one_of(names))
      ->capture_default_str();
  app.add_option(
         "--view", options->views,
         "views to export, separated by commas: run, step_window, epoch, eval, … (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--force", options->force, "replace existing files");
  add_selection_options(app, options->selection, RunArguments::positional);
  add_state_option(app, options->states);
  return [options] { return export_views(*options); };
}

}  // namespace

extern const CommandEntry export_entry;
const CommandEntry export_entry{
    .name = "export",
    .summary = "Export collected results as CSV, JSON lines, Parquet or SQLite for other programs",
    .example =
        "dlscale export demo -o demo-csv --where 'gpus >= 4'\n"
        "  dlscale export demo --format sqlite -o demo.sqlite --view run,step_window",
    .define = &define_export,
};

}  // namespace dlscale::cli
