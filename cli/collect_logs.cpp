// SPDX-License-Identifier: Apache-2.0
#include "cli/collect_logs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <string_view>

#include "analysis/frame.hpp"
#include "analysis/store/seen_files.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "cli/collect_steps.hpp"
#include "cli/completer.hpp"
#include "contract/run_dir.hpp"
#include "contract/skip_tally.hpp"

namespace dlscale::cli {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names = base::names(analysis::log_formats());
  for (const char* kind : analysis::kMappedKinds) names.emplace_back(kind);
  return names;
}

/// The name of a file without the ending that tells how it is compressed.
std::string_view decompressed_name(std::string_view name) {
  for (const std::string_view ending : {".gz", ".xz", ".bz2", ".zst"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

/// Of tables that all have a name that tells it.
std::string kind_of(const std::vector<std::string>& logs) {
  const auto all = [&](std::initializer_list<const char*> endings) {
    return !logs.empty() && std::all_of(logs.begin(), logs.end(), [&](const std::string& log) {
      return std::any_of(endings.begin(), endings.end(), [&](const char* ending) {
        return decompressed_name(log).ends_with(ending);
      });
    });
  };
  if (all({".jsonl", ".json"})) return "jsonl";
  return all({".md", ".markdown"}) ? "markdown" : "csv";
}

/// What of --format, --map and --pattern says how all of the logs are read.
void choose_format(const LogOptions& options, const std::vector<std::string>& logs,
                   analysis::ImportRequest& request) {
  const std::string& format = options.request.format;
  if (!format.empty()) {
    const std::vector<std::string> known = format_names();
    if (std::find(known.begin(), known.end(), format) == known.end()) {
      throw base::UsageError(base::unknown_name("log format", format, known));
    }
  }
  const bool is_table = format == "csv" || format == "jsonl" || format == "markdown";
  if (!options.pattern.empty()) {
    if (!options.columns.empty() || (!format.empty() && format != "pattern")) {
      throw base::UsageError("--pattern: is a format of its own; leave --format and --map out");
    }
    request.mapped = read_pattern_file(options.pattern);
  } else if (format == "pattern") {
    throw base::UsageError("--format pattern: say with --pattern FILE.toml what lines look like");
  } else if (is_table || !options.columns.empty()) {
    if (!is_table && !format.empty()) {
      throw base::UsageError(fmt::format(
          "--map: is for csv, jsonl and markdown; {} knows what its logs mean", format));
    }
    request.mapped.kind = !format.empty() ? format : kind_of(logs);
    for (const std::string& column : options.columns) {
      request.mapped.columns.push_back(analysis::parse_mapping(column));
    }
  }
  if (!options.decimal.empty()) {
    const std::string& kind = request.mapped.kind;
    if (kind != "csv" && kind != "markdown") {
      throw base::UsageError(
          "--decimal: is for tables, csv and markdown, whose columns --map names");
    }
    request.mapped.decimal =
        options.decimal == "comma" ? analysis::DecimalMark::comma : analysis::DecimalMark::point;
  }
  if (!request.mapped.kind.empty()) request.format.clear();
}

void print(const analysis::ImportSummary& summary, const std::string& folder, std::ostream& out) {
  std::vector<std::string> formats;
  for (const auto& [name, logs] : summary.formats)
    formats.push_back(fmt::format("{} {}", logs, name));
  out << fmt::format("took {} ({}) into {}: {}, {} new, {} changed, {} unchanged\n",
                     base::count_of(summary.logs, "log"), fmt::join(formats, ", "), folder,
                     base::count_of(summary.runs, "run"), summary.added, summary.changed,
                     summary.unchanged);
  if (!summary.joined.empty()) {
    out << fmt::format("no runs of their own, for they are of the training of another log: {}\n",
                       base::count_of(summary.joined.size(), "log"));
    for (const std::string& joined : summary.joined) out << "  " << joined << "\n";
  }
  out << contract::describe_skipped(analysis::tally_of(summary.skipped));
  print_warnings(summary.warnings, out);
}

}  // namespace

void add_log_options(CLI::App& app, LogOptions& options) {
  analysis::ImportRequest& request = options.request;
  app.add_option("-o,--output", options.folder,
                 "take what is named over as logs of other programs, into this folder")
      ->type_name(value_kind::kFolder);
  app.add_option("--format", request.format, "what the logs are (default: as each is recognised)")
      ->type_name(one_of(format_names()));
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

void check_log_options(const LogOptions& options) {
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

bool import_and_report(const LogOptions& options, const std::vector<std::string>& logs,
                       std::ostream& out) {
  if (logs.empty()) throw base::UsageError("-o: name the logs, or the folders they lie in");
  analysis::ImportRequest request = options.request;
  request.logs = logs;
  choose_format(options, logs, request);
  const contract::PlanDir folder{std::filesystem::path(options.folder)};
  analysis::SeenFiles seen(folder);
  const analysis::ImportSummary summary = analysis::import_logs(
      request, folder, [&](const std::string& log) { return seen.is_unchanged(log); });
  print(summary, options.folder, out);
  return summary.is_complete();
}

}  // namespace dlscale::cli
