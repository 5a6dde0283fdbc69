// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale templates`, which lists and prints the templates of job scripts and the names
// that templates can use.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "base/table_printer.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "planner/script/render.hpp"
#include "planner/script/run_values.hpp"
#include "planner/script/script.hpp"
#include "workspace/resources.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

int list(const std::string& asked) {
  const fs::path folder = asked.empty() ? workspace::share_folder() / "templates" : fs::path(asked);
  if (!fs::is_directory(folder)) {
    throw base::UsageError(fmt::format("{}: no such folder", folder.string()));
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : planner::templates_in(folder)) {
    const std::string text = base::read_file(folder / (name + planner::kTemplateExtension));
    const auto lines = std::count(text.begin(), text.end(), '\n');
    rows.push_back({name, std::to_string(lines),
                    fmt::format("{}", fmt::join(planner::partials_in(text), " "))});
  }
  std::cout << fmt::format("in {}:\n\n", folder.string())
            << base::print_table({"template", "lines", "includes"}, rows);
  return kExitOk;
}

int names() {
  std::vector<std::vector<std::string>> rows;
  for (const auto& list : {planner::script_names(), planner::command_names()}) {
    for (const planner::ScriptName& name : list) {
      rows.push_back({name.name, name.kind, name.meaning});
    }
  }
  std::cout << base::print_table({"name", "kind", "meaning"}, rows);
  return kExitOk;
}

/// Returns the path of a template. A name that ends in .mustache is a path. Any other name is the
/// name of a template that dlscale includes.
fs::path file_of(const std::string& name) {
  if (name.ends_with(planner::kTemplateExtension)) return name;
  const fs::path folder = workspace::share_folder() / "templates";
  const std::vector<std::string> known = planner::templates_in(folder);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw base::UsageError(base::unknown_name("template", name, known));
  }
  return folder / (name + planner::kTemplateExtension);
}

int show(const std::string& name) {
  const fs::path file = file_of(name);
  if (!fs::is_regular_file(file)) {
    throw base::UsageError(fmt::format("{}: no such file", file.string()));
  }
  std::cout << base::read_file(file);
  return kExitOk;
}

Action define_templates(CLI::App& app) {
  const auto argument = std::make_shared<std::string>();
  app.require_subcommand(1);
  CLI::App* all = app.add_subcommand("list", "List the templates of a folder");
  all->add_option("DIR", *argument, "folder with templates (default: the shipped templates)")
      ->type_name(value_kind::kFolder);
  CLI::App* one = app.add_subcommand("show", "Print a template, as a start for your own");
  one->add_option("NAME", *argument, "name of a template, or a file (*.mustache)")
      ->type_name(value_kind::kTemplate)
      ->required();
  CLI::App* usable = app.add_subcommand("names", "List the names that a template can use");
  return [argument, all, usable] {
    if (usable->parsed()) return names();
    return all->parsed() ? list(*argument) : show(*argument);
  };
}

}  // namespace

extern const CommandEntry templates_entry;
const CommandEntry templates_entry{
    .name = "templates",
    .summary = "Show the templates of job scripts",
    .example =
        "dlscale templates list\n"
        "  dlscale templates names\n"
        "  dlscale templates show slurm.sh > mine.mustache\n"
        "  dlscale plan study.toml --template mine.mustache",
    .define = &define_templates,
};

}  // namespace dlscale::cli
