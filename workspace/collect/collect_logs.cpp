// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/collect_logs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include "analysis/frame.hpp"
#include "analysis/import/mapped/mapped_file.hpp"
#include "analysis/store/sources.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "base/skip_tally.hpp"
#include "base/text.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/collect/check_format.hpp"
#include "workspace/collect/collect_steps.hpp"

namespace dlscale::workspace {
namespace {

/// Returns the file name without the ending of a compressed file.
std::string_view decompressed_name(std::string_view name) {
  for (const std::string_view ending : {".gz", ".xz", ".bz2", ".zst"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

/// Returns "jsonl" or "markdown" if the names of all logs have an ending of this format. Otherwise
/// returns "csv".
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

/// Stores in `request` the format of the logs, which follows from --format, --map and --pattern.
void choose_format(const LogOptions& options, const std::vector<std::string>& logs,
                   analysis::ImportRequest& request) {
  const std::string& format = options.request.format;
  if (is_format_file(format)) {
    if (!options.columns.empty() || !options.pattern.empty() || !options.decimal.empty()) {
      throw base::UsageError(
          "--format: a format file cannot be combined with --map, --pattern or --decimal");
    }
    const std::string text = base::read_text_file(format);
    if (const auto mapped = analysis::parse_mapped_format(text, format)) {
      request.mapped = mapped->format;
      request.pattern_places = mapped->places;
    } else {
      request.described = std::make_shared<const analysis::DescribedFormat>(text, format);
    }
    request.format.clear();
    return;
  }
  if (!format.empty()) {
    const std::vector<std::string> known = log_format_names();
    if (std::find(known.begin(), known.end(), format) == known.end()) {
      throw base::UsageError(base::unknown_name("log format", format, known));
    }
  }
  const bool is_table = format == "csv" || format == "jsonl" || format == "markdown";
  if (!options.pattern.empty()) {
    if (!options.columns.empty() || (!format.empty() && format != "pattern")) {
      throw base::UsageError("--pattern: cannot be combined with --map or with another --format");
    }
    const std::string text = base::read_text_file(options.pattern);
    const analysis::MappedFile mapped = analysis::parse_pattern_file(text, options.pattern);
    request.mapped = mapped.format;
    request.pattern_places = mapped.places;
  } else if (format == "pattern") {
    throw base::UsageError(
        "--format pattern: describe the lines in a file and add --pattern FILE.toml");
  } else if (is_table || !options.columns.empty()) {
    if (!is_table && !format.empty()) {
      throw base::UsageError(
          fmt::format("--map: applies only to csv, jsonl and markdown, not to {}", format));
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
          "--decimal: applies only to csv and markdown tables; name their columns with --map");
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
  out << fmt::format("imported {} ({}) into {}: {}, {} new, {} changed, {} unchanged\n",
                     base::count_of(summary.logs, "log"), fmt::join(formats, ", "), folder,
                     base::count_of(summary.runs, "run"), summary.added, summary.changed,
                     summary.unchanged);
  if (!summary.joined.empty()) {
    out << fmt::format("merged into the run of another log of the same training: {}\n",
                       base::count_of(summary.joined.size(), "log"));
    for (const std::string& joined : summary.joined) out << "  " << joined << "\n";
  }
  out << base::describe_skipped(analysis::tally_of(summary.skipped));
  print_warnings(summary.warnings, out);
}

}  // namespace

std::vector<std::string> log_format_names() {
  std::vector<std::string> names = base::names(analysis::log_formats());
  for (const char* kind : analysis::kMappedKinds) names.emplace_back(kind);
  return names;
}

bool import_and_report(const LogOptions& options, const std::vector<std::string>& logs,
                       std::ostream& out) {
  if (logs.empty()) throw base::UsageError("-o: name the logs, or the folders that contain them");
  analysis::ImportRequest request = options.request;
  request.logs = logs;
  choose_format(options, logs, request);
  const contract::PlanDir folder{std::filesystem::path(options.folder)};
  const std::set<std::string> unchanged = analysis::unchanged_paths(folder);
  const analysis::ImportSummary summary = analysis::import_logs(
      request, folder, [&](const std::string& log) { return unchanged.contains(log); });
  print(summary, options.folder, out);
  return summary.is_complete();
}

}  // namespace dlscale::workspace
