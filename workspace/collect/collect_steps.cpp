// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/collect_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/described_format.hpp"
#include "analysis/import/imported_plan.hpp"
#include "analysis/import/reading/file_problems.hpp"
#include "analysis/metrics/scaling/selected_runs.hpp"
#include "analysis/report/answer/study_answer.hpp"
#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/figures/figures.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "base/exit_code.hpp"
#include "base/file.hpp"
#include "base/skip_tally.hpp"
#include "base/text.hpp"
#include "workspace/collect/stale_figures.hpp"
#include "workspace/jobs/machine.hpp"
#include "workspace/status/code_versions.hpp"
#include "workspace/status/run_warnings.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Maximum number of warnings to print, apart from the first warning of each kind.
constexpr std::size_t kShownProblems = 10;

/// Returns the text of a warning without the path and the number of the line at its beginning.
std::string text_without_place(std::string_view warning) {
  constexpr std::string_view kSeparator = ": ";
  const auto without_first_part = [&](std::string_view text) {
    const std::size_t end = text.find(kSeparator);
    return end == text.npos ? text : text.substr(end + kSeparator.size());
  };
  const std::string_view text = without_first_part(warning);
  return std::string(text.starts_with("line ") ? without_first_part(text) : text);
}

void print_problems(const analysis::IngestSummary& summary, std::ostream& out) {
  if (!summary.truncated.empty()) {
    out << fmt::format("{}: {}\n", base::count_of(summary.truncated.size(), "truncated file"),
                       fmt::join(summary.truncated, ", "));
  }
  base::SkipTally skipped;
  std::vector<std::string> others;
  for (const std::string& problem : summary.problems) {
    if (!analysis::count_skipped_lines(problem, skipped)) others.push_back(problem);
  }
  for (const std::string& run : summary.unplanned) skipped.add({"run", "not in the plan", run});
  out << base::describe_skipped(skipped);
  print_warnings(others, out);
}

/// Prints warnings about the code and the records of external runs.
void print_run_warnings(const analysis::Frame& frame, const contract::PlanDir& folder,
                        std::ostream& out) {
  const contract::Plan plan = contract::read_plan(folder);
  RunIds all;
  for (const analysis::RunRow& run : frame.runs) all.insert(run.run_id);
  for (const std::string& warning : code_changes(plan, folder, all)) {
    out << "warning: " << warning << "\n";
  }
  for (const std::string& warning : old_code_warnings(plan, folder, all)) {
    out << "warning: " << warning << "\n";
  }
  const std::string nothing = nothing_read(frame, folder);
  if (!nothing.empty()) out << "warning: " << nothing << "\n";
}

/// Prints a warning for each pattern of the study that read no line of the completed runs.
void print_unused_patterns(const std::set<std::size_t>& unused, const contract::PlanDir& folder,
                           std::ostream& out) {
  const fs::path file = folder.log_format_toml();
  std::error_code missing;
  if (unused.empty() || !fs::exists(file, missing)) return;
  const analysis::DescribedFormat format(base::read_text_file(file), file.string());
  if (!format.is_mapped()) return;
  for (const std::string& warning : format.describe_unused(unused)) {
    out << fmt::format("warning: {} (in the logs of all completed runs)\n", warning);
  }
}

/// Prints what was read, and the problems of the files.
void print_summary(const analysis::IngestSummary& summary, const analysis::Frame& frame,
                   const contract::PlanDir& folder, std::ostream& out) {
  out << fmt::format("collected {}: {}; {} read, {} unchanged\n", frame.study,
                     analysis::describe_use(frame), base::count_of(summary.files_read, "file"),
                     summary.files_unchanged);
  if (summary.other_version) {
    out << fmt::format(
        "{} was written by another version of dlscale and has been rebuilt from all files\n",
        folder.database().string());
  }
  print_problems(summary, out);
  print_unused_patterns(summary.unused_patterns, folder, out);
  print_run_warnings(frame, folder, out);
}

bool is_failed(const analysis::RunRow& run) {
  return !analysis::completed(run) && run.outcome != analysis::kUnfinished &&
         run.outcome != analysis::kNotStarted;
}

/// Returns true if the study names a log format and runs completed, but the log format read no
/// record of these runs.
bool has_format_without_records(const analysis::Frame& frame, const contract::Plan& plan) {
  if (analysis::holds_imported_runs(plan)) return false;
  bool any_completed = false;
  for (const analysis::RunRow& run : frame.runs) {
    if (!analysis::completed(run)) continue;
    if (run.has_records) return false;
    any_completed = true;
  }
  return any_completed &&
         std::any_of(plan.runs.begin(), plan.runs.end(),
                     [](const contract::PlannedRun& run) { return !run.log_format.empty(); });
}

bool has_rows(const analysis::Report& report) {
  return std::any_of(report.tables.begin(), report.tables.end(),
                     [](const analysis::Table& table) { return !table.rows.empty(); });
}

std::string table_file(const std::string& metric, const analysis::ReportWriter& writer) {
  return fmt::format("{}.{}", metric, writer.extension);
}

/// Returns whether a format is only printed to the terminal and never written to a file.
bool is_only_printed(const analysis::ReportWriter& writer) {
  return std::string_view(writer.name) == "text";
}

/// Prints the most important tables, and writes them in the formats for papers, pages and programs.
/// Does not print tables without rows. The files of these tables are written nevertheless, so that
/// no file of earlier results remains.
void make_tables(const analysis::Frame& frame, const contract::PlanDir& folder, std::ostream& out,
                 std::vector<fs::path>& written) {
  base::make_directories(folder.tables());
  bool printed = false;
  for (const std::string& name : analysis::first_metrics(frame)) {
    const analysis::Report report =
        make_report(analysis::find_metric(name), frame, {frame.baseline}, {});
    for (const analysis::ReportWriter* writer : analysis::report_writers()) {
      const std::string text = writer->render(report);
      if (is_only_printed(*writer)) {
        if (name == "breakdown" || !has_rows(report)) continue;
        out << "\n" << text;
        printed = true;
        continue;
      }
      written.push_back(folder.tables() / table_file(name, *writer));
      base::write_file_if_changed(written.back(), text);
    }
  }
  if (!printed) out << "\n" << analysis::kNoRows << "\n";
}

void print_stale_figures(const contract::PlanDir& folder, const std::vector<fs::path>& drawn,
                         std::ostream& out) {
  const std::vector<std::string> removed = remove_stale_figures(folder, drawn);
  if (removed.empty()) return;
  out << fmt::format("removed figures of earlier results, which cannot be drawn now: {}\n",
                     fmt::join(removed, ", "));
}

void make_figures(const analysis::Frame& frame, const contract::PlanDir& folder, std::ostream& out,
                  std::vector<fs::path>& written) {
  std::string problem;
  std::vector<fs::path> files;
  for (const analysis::FigureKind& kind : analysis::figure_kinds()) {
    const analysis::Figure figure = kind.make(frame, {frame.baseline});
    if (figure.series.empty()) continue;
    const analysis::Drawn drawn =
        write_figure(figure, folder.figures() / kind.name, {"svg", "pdf"});
    files.insert(files.end(), drawn.files.begin(), drawn.files.end());
    if (!drawn.problem.empty()) problem = drawn.problem;
  }
  print_stale_figures(folder, files, out);
  written.insert(written.end(), files.begin(), files.end());
  if (!problem.empty())
    out << fmt::format("warning: no .pdf files written for figures: {}\n", problem);
}

/// Prints one line for the files that differ only in their endings: "wrote
/// demo/tables/efficiency.{md,csv,tex}".
void print_written(const std::vector<fs::path>& files, std::ostream& out) {
  for (std::size_t i = 0; i < files.size();) {
    std::vector<std::string> endings;
    fs::path stem = files[i];
    stem.replace_extension();
    for (; i < files.size(); ++i) {
      fs::path other = files[i];
      if (other.replace_extension() != stem) break;
      endings.push_back(files[i].extension().string().substr(1));
    }
    out << fmt::format("wrote {}.{{{}}}\n", stem.string(), fmt::join(endings, ","));
  }
}

}  // namespace

void print_warnings(const std::vector<std::string>& warnings, std::ostream& out) {
  std::map<std::string, std::size_t> count_of_text;
  for (const std::string& warning : warnings) ++count_of_text[text_without_place(warning)];
  std::set<std::string> texts, kinds;
  std::size_t shown = 0, similar = 0;
  for (const std::string& warning : warnings) {
    const std::string text = text_without_place(warning);
    if (!texts.insert(text).second) continue;  // the printed warning contains the count
    const bool is_new = kinds.insert(base::general_reason(text)).second;
    const std::size_t count = count_of_text[text];
    if (!is_new && shown >= kShownProblems) {
      similar += count;
      continue;
    }
    out << "warning: " << warning;
    if (count > 1) {
      out << fmt::format(" (and {} with the same text)", base::count_of(count - 1, "warning"));
    }
    out << "\n";
    ++shown;
  }
  if (similar > 0) {
    out << fmt::format("warning: similar warnings that are not shown: {}\n", similar);
  }
}

std::vector<std::string> collected_tables(const analysis::Frame& frame) {
  std::vector<std::string> files;
  for (const std::string& name : analysis::first_metrics(frame)) {
    for (const analysis::ReportWriter* writer : analysis::report_writers()) {
      if (!is_only_printed(*writer)) files.push_back(table_file(name, *writer));
    }
  }
  return files;
}

int collect_and_report(const CollectOptions& options, std::ostream& out) {
  const contract::PlanDir folder(options.plan_folder);
  const analysis::IngestSummary summary = analysis::ingest(folder, options.rebuild);
  const bool shows_runs = options.tables || options.figures;
  analysis::Frame frame =
      shows_runs ? analysis::read_frame(folder) : analysis::read_outcomes(folder);
  if (summary.launches == 0) {
    print_summary(summary, frame, folder, out);
    out << "nothing to collect: no run has written records yet\n";
    if (options.figures) print_stale_figures(folder, {}, out);
    return options.runs.allow_empty ? base::kExitOk : base::kExitNothingMatched;
  }
  // The summary describes all runs, but the answers describe the selected runs.
  std::ostringstream about_all;
  print_summary(summary, frame, folder, about_all);
  if (options.runs.narrows()) {
    keep_runs(frame, select_runs(contract::read_plan(folder), options.runs), frame.baseline);
  }
  if (options.tables) {
    out << answer_text(answer_study(
               frame, {.baseline = frame.baseline,
                       .min_efficiency = options.min_efficiency,
                       .most_gpus = most_ranks(contract::read_plan(folder), this_machine())}))
        << "\n";
  }
  out << about_all.str();
  std::vector<fs::path> written;
  if (options.tables) make_tables(frame, folder, out, written);
  if (options.figures) make_figures(frame, folder, out, written);
  if (summary.wrote || !written.empty()) out << "\n";
  print_written(written, out);
  if (summary.wrote) out << fmt::format("wrote {}\n", folder.database().string());
  if (std::any_of(frame.runs.begin(), frame.runs.end(), is_failed)) return base::kExitRunsFailed;
  return has_format_without_records(frame, contract::read_plan(folder)) ? base::kExitNothingMatched
                                                                        : base::kExitOk;
}

}  // namespace dlscale::workspace
