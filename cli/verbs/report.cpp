// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale report`, which writes all tables and figures of a collected study into one
// folder.
#include "cli/verbs/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/page/report_bundle.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/chosen_study_options.hpp"
#include "cli/options/completer.hpp"
#include "cli/terminal/terminal.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/chosen_study.hpp"
#include "workspace/comparison.hpp"
#include "workspace/reference_reader.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// Share of the progress bar for computing the tables. The rest of the bar is for writing and
/// drawing.
constexpr double kShareOfNumbers = 0.5;

/// Returns the output folder, which may not exist yet. Throws base::UsageError if the path exists
/// and is not a folder, and if a report of several plan folders has no output folder.
fs::path output_folder(const ReportOptions& options) {
  if (options.output.empty() && !options.study.sources.empty()) {
    throw base::UsageError(
        "--output is missing: a report of several plan folders needs a folder of its own");
  }
  const fs::path folder =
      options.output.empty() ? fs::path(options.study.folder) / "report" : fs::path(options.output);
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
    throw base::UsageError(fmt::format("--output {}: is a file, not a folder", folder.string()));
  }
  return folder;
}

/// Progress bar on a terminal.
class Progress {
 public:
  Progress() : terminal_(terminal_of(STDERR_FILENO)), line_(std::cerr, terminal_) {}
  void show(const std::string& now, double share) {
    constexpr int kCells = 20;
    const int filled = static_cast<int>(share * kCells);
    line_.show(cut_to_width(fmt::format("[{:#<{}}{:-<{}}] {:3.0f} % {}", "", filled, "",
                                        kCells - filled, 100 * share, now),
                            terminal_.columns - 1));
  }

 private:
  Terminal terminal_;
  StatusLine line_;
};

analysis::WrittenBundle write(const ReportOptions& options, const workspace::ChosenStudy& study,
                              const fs::path& folder, analysis::StudyPage& page) {
  Progress progress;
  page = study_page(
      study.frame, study.options, options.by,
      [&](const std::string& part, double share) { progress.show(part, kShareOfNumbers * share); });
  for (const std::string& message : {study.outdated, study.nothing_read}) {
    if (!message.empty()) page.warnings.push_back(message);
  }
  if (page.report.tables.empty() && page.figures.empty()) return {};
  if (options.study.sources.empty()) {
    workspace::add_named_publication(page.report, study.frame, options.study.folder);
  }
  return write_kit(page, folder, [&](const std::string& part, double share) {
    progress.show(part, kShareOfNumbers + (1 - kShareOfNumbers) * share);
  });
}

/// Prints a warning for each comparison with a publication that a report of several plan folders
/// omits. Published values belong to the study of one folder, and a joined report has no place for
/// the name of this folder.
void print_omitted_publications(const workspace::StudyChoice& study) {
  for (const workspace::SourceFolder& source : study.sources) {
    const std::string name = workspace::reference_of_study(contract::PlanDir(source.folder));
    if (name.empty()) continue;
    fmt::print(
        "warning: this report does not compare {} with the publication \"{}\"; to compare them, "
        "run "
        "dlscale report {}\n",
        source.name, name, source.folder.string());
  }
}

std::string missing_pictures(const analysis::WrittenBundle& bundle) {
  const std::string which =
      bundle.undrawn == bundle.figures
          ? "no figure has a"
          : fmt::format("{} of {} figures have no", bundle.undrawn, bundle.figures);
  return fmt::format("{} .pdf file: {}", which, bundle.problem);
}

}  // namespace

int write_report(const ReportOptions& options) {
  const fs::path folder = output_folder(options);
  const workspace::ChosenStudy study = workspace::open_study(options.study);
  analysis::StudyPage page;
  const analysis::WrittenBundle bundle = write(options, study, folder, page);
  if (bundle.tables == 0 && bundle.figures == 0) {
    fmt::print(stderr, "dlscale: nothing to report: {}\n", describe_use(study.frame));
    for (const std::string& message : {study.nothing_read, study.outdated}) {
      if (!message.empty()) fmt::print(stderr, "dlscale: {}\n", message);
    }
    return options.study.runs.allow_empty ? kExitOk : kExitNothingMatched;
  }
  for (const std::string& warning : page.warnings) fmt::print("warning: {}\n", warning);
  print_omitted_publications(options.study);
  if (bundle.undrawn > 0) fmt::print("warning: {}\n", missing_pictures(bundle));
  fmt::print("wrote {}: {}\n", (folder / "tables").string(),
             base::count_of(bundle.tables, "table"));
  fmt::print("wrote {}: {}\n", (folder / "figures").string(),
             base::count_of(bundle.figures, "figure"));
  fmt::print("wrote {}\nwrote {}\n", (folder / "paper.tex").string(),
             (folder / "report.html").string());
  return kExitOk;
}

namespace {

Action define_report(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  app.add_option("-o,--output", options->output,
                 "folder for the report (default: DIR/report; required for several plan folders). "
                 "Existing files with the same names are replaced")
      ->type_name(value_kind::kFolder);
  app.add_option(
         "--by", options->by,
         "axes for the rows of a table. Every combination of the other axes has its own table")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_study_options(app, options->study);
  add_efficiency_option(app, options->study.min_efficiency);
  return [options] {
    workspace::find_sources(options->study);
    return write_report(*options);
  };
}

}  // namespace

extern const CommandEntry report_entry;
const CommandEntry report_entry{
    "report", "Write all tables and figures of a collected study for papers and browsers",
    "dlscale report demo -o paper --where 'model == \"resnet50\"'\n"
    "  dlscale report juwels nef -o paper",
    &define_report};

}  // namespace dlscale::cli
