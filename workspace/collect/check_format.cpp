// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/check_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include "analysis/import/described_format.hpp"
#include "analysis/import/foreign_text.hpp"
#include "analysis/import/imported_run.hpp"
#include "analysis/import/line_report.hpp"
#include "analysis/import/reading/launcher_prefix.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kShownText = 70, kShownResult = 44;

std::string cut(std::string_view text, std::size_t most) {
  std::string shown;
  for (const char c : text.substr(0, most)) {
    shown += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return text.size() > most ? shown + "…" : shown;
}

/// Returns the description of the run to which the log belongs. If the command line states no
/// values and the log is in runs/RUN/launch-N/, the description comes from runs/RUN/run.json.
/// Otherwise, the description contains only the values that the command line states.
contract::RunSpec run_of(const FormatCheck& check, const std::string& log) {
  const fs::path launch = fs::absolute(log).parent_path();
  const fs::path described = contract::RunDir(launch.parent_path()).run_json();
  const bool is_launch = launch.filename().string().starts_with("launch-");
  if (check.stated.empty() && is_launch && fs::exists(described)) {
    return contract::run_spec_from_json(base::read_file(described), described.string());
  }
  analysis::MergedAxes axes;
  analysis::AxisValues values;
  for (const std::string& text : check.stated) {
    const auto [name, value] = analysis::parse_stated("--set", text);
    values[name] = value;
  }
  axes.add("--set", values);
  contract::RunSpec run = analysis::imported_run("check", axes, "check-format");
  analysis::keep_what_is_said(run);
  return run;
}

void print_lines(const analysis::LogReport& report, std::ostream& out) {
  const int last = report.lines.empty() ? 0 : report.lines.back().number;
  const auto width = std::to_string(last).size();
  for (const analysis::LineReport& line : report.lines) {
    const std::string what = line.read.empty() ? "ignored" : line.read.front();
    out << fmt::format("{:>{}}  {:<{}}  {}\n", line.number, width, what, kShownResult,
                       cut(line.text, kShownText));
    for (std::size_t i = 1; i < line.read.size(); ++i) {
      out << fmt::format("{:>{}}  {}\n", "", width, line.read[i]);
    }
  }
}

/// Prints the counts, facts and problems. Returns the number of results.
int print_summary(const analysis::LogReport& report, std::ostream& out) {
  int windows = 0, epochs = 0, evaluations = 0, others = 0;
  for (const contract::ResultRecord& record : report.content.file.records) {
    if (std::holds_alternative<contract::StepWindow>(record)) ++windows;
    if (std::holds_alternative<contract::EpochRecord>(record)) ++epochs;
    if (std::holds_alternative<contract::EvalRecord>(record)) ++evaluations;
    if (std::holds_alternative<contract::InferenceRecord>(record)) ++others;
  }
  const auto ignored =
      std::count_if(report.lines.begin(), report.lines.end(),
                    [](const analysis::LineReport& line) { return line.read.empty(); });
  out << fmt::format("\n{}: {} with steps, {}, {}; {} ignored\n",
                     base::count_of(static_cast<std::int64_t>(report.lines.size()), "line"),
                     base::count_of(windows, "entry", "entries"), base::count_of(epochs, "epoch"),
                     base::count_of(evaluations, "evaluation"), ignored);
  for (const auto& [name, value] : report.content.facts) {
    out << fmt::format("fact: {} = {}\n", name, value);
  }
  for (const std::string& problem : report.content.file.skipped) {
    out << fmt::format("problem: {}\n", problem);
  }
  return windows + epochs + evaluations + others;
}

/// Rejects the path of a log that is missing or a folder.
void require_file(const std::string& log) {
  std::error_code unreadable;
  if (!fs::exists(log, unreadable)) throw base::UsageError(log + ": no such file");
  if (fs::is_directory(log, unreadable)) {
    throw base::UsageError(log + ": is a folder; name the logs in the folder");
  }
}

/// Prints what the format reads from a log, or why the file has no text. Returns true if the format
/// read at least one result.
bool check_log(const analysis::LogFormat& format, const std::string& path,
               const contract::RunSpec& run, std::ostream& out) {
  analysis::ForeignText log = analysis::read_foreign(path);
  if (!log.problem.empty()) {
    out << fmt::format("problem: {}: {}\n", path, log.problem);
    return false;
  }
  const std::string text =
      analysis::without_launcher_prefixes(std::move(log.text), format.recognises);
  const analysis::LogReport report = analysis::report_lines(format, text, run);
  print_lines(report, out);
  const int results = print_summary(report, out);
  if (!format.recognises(text.substr(0, analysis::kSampledBytes))) {
    out << "note: the format does not recognise this log; dlscale collect needs --format\n";
  }
  return results > 0;
}

}  // namespace

bool is_format_file(const std::string& format) {
  return format.ends_with(".toml") || format.find('/') != std::string::npos;
}

bool check_format(const FormatCheck& check, std::ostream& out) {
  std::optional<analysis::DescribedFormat> own;
  if (is_format_file(check.format)) own.emplace(base::read_text_file(check.format), check.format);
  const analysis::LogFormat& format =
      own ? own->entry() : base::find(analysis::log_formats(), "log format", check.format);
  for (const std::string& log : check.logs) require_file(log);
  std::vector<contract::RunSpec> runs;
  for (const std::string& log : check.logs) runs.push_back(run_of(check, log));
  bool all_read = true;
  for (std::size_t i = 0; i < check.logs.size(); ++i) {
    if (check.logs.size() > 1) out << (i == 0 ? "" : "\n") << check.logs[i] << ":\n";
    all_read = check_log(format, check.logs[i], runs[i], out) && all_read;
  }
  if (own) {
    for (const std::string& warning : own->warnings()) out << "warning: " << warning << '\n';
  }
  return all_read;
}

}  // namespace dlscale::workspace
