// SPDX-License-Identifier: Apache-2.0
#include "cli/options/collect_logs_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "base/error.hpp"
#include "cli/options/completer.hpp"

namespace dlscale::cli {

void add_log_options(CLI::App& app, workspace::LogOptions& options) {
  analysis::ImportRequest& request = options.request;
  app.add_option("-o,--output", options.folder,
                 "import the given files and folders as logs of other programs into DIR")
      ->type_name(value_kind::kFolder);
  app.add_option("--format", request.format,
                 "format of the logs: a name or a format file (default: detected for each log)")
      ->type_name(one_of(workspace::log_format_names()));
  app.add_option(
         "--map", options.columns,
         "for csv, jsonl and markdown: column of a field, FIELD=COLUMN or FIELD=COLUMN*FACTOR")
      ->allow_extra_args(false);
  app.add_option("--decimal", options.decimal,
                 "for csv and markdown: decimal mark (default: detected from the numbers)")
      ->type_name(one_of({"point", "comma"}))
      ->check(CLI::IsMember({"point", "comma"}));
  app.add_option("--pattern", options.pattern,
                 "TOML file with regular expressions for the lines of the logs")
      ->type_name(value_kind::kFile);
  app.add_option("--axis", request.axes,
                 "NAME=REGEX: axis of the runs. Its value is the group in the last match of REGEX "
                 "in the path of the log")
      ->allow_extra_args(false);
  app.add_option(
         "--table", request.table,
         "CSV file with axes of the logs. Its column \"path\" contains the paths of the logs")
      ->type_name(value_kind::kFile);
  app.add_option("--set", request.stated, "NAME=VALUE: axis of all runs of these logs")
      ->allow_extra_args(false);
  app.add_option("--default", request.defaults,
                 "NAME=VALUE: value of an axis for runs without another value")
      ->allow_extra_args(false);
  app.add_option("--study", request.study, "name of the study (default: name of the folder)");
  app.add_option("--scaling", request.scaling, "kind of scaling of the runs (default: throughput)")
      ->type_name(one_of({"weak", "strong", "throughput"}))
      ->check(CLI::IsMember({"weak", "strong", "throughput"}));
}

void check_log_options(const workspace::LogOptions& options) {
  if (!options.folder.empty()) return;
  const analysis::ImportRequest& request = options.request;
  const std::pair<const char*, bool> given[] = {
      {"--format", !request.format.empty()},   {"--map", !options.columns.empty()},
      {"--decimal", !options.decimal.empty()}, {"--pattern", !options.pattern.empty()},
      {"--axis", !request.axes.empty()},       {"--table", !request.table.empty()},
      {"--set", !request.stated.empty()},      {"--default", !request.defaults.empty()},
      {"--study", !request.study.empty()},     {"--scaling", !request.scaling.empty()}};
  for (const auto& [name, is_given] : given) {
    if (is_given) {
      throw base::UsageError(
          fmt::format("{}: applies only to the import of logs; add -o DIR", name));
    }
  }
}

}  // namespace dlscale::cli
