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
                 "take what is named over as logs of other programs, into this folder")
      ->type_name(value_kind::kFolder);
  app.add_option("--format", request.format, "what the logs are (default: as each is recognised)")
      ->type_name(one_of(workspace::log_format_names()));
  app.add_option("--map", options.columns,
                 "csv, jsonl, markdown: what a column means, FIELD=COLUMN or FIELD=COLUMN*FACTOR")
      ->allow_extra_args(false);
  app.add_option("--decimal", options.decimal,
                 "csv, markdown: the mark before decimals (default: as the numbers show it)")
      ->type_name(one_of({"point", "comma"}))
      ->check(CLI::IsMember({"point", "comma"}));
  app.add_option("--pattern", options.pattern,
                 "TOML file with regular expressions of the logs' lines")
      ->type_name(value_kind::kFile);
  app.add_option(
         "--axis", request.axes,
         "NAME=REGEX: an axis of the runs, the expression's group where it matches the path of "
         "a log, nearest to the file")
      ->allow_extra_args(false);
  app.add_option("--table", request.table, "CSV file: axes of the logs that its column path names")
      ->type_name(value_kind::kFile);
  app.add_option("--set", request.stated, "NAME=VALUE: an axis of all runs of these logs")
      ->allow_extra_args(false);
  app.add_option("--default", request.defaults,
                 "NAME=VALUE: an axis of those runs of which nothing else says it")
      ->allow_extra_args(false);
  app.add_option("--study", request.study, "name of the study (default: the folder's)");
  app.add_option("--scaling", request.scaling, "what the runs vary (default: throughput)")
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
          fmt::format("{}: is about logs; say with -o which folder they go to", name));
    }
  }
}

}  // namespace dlscale::cli
