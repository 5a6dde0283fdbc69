// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale compare`, which compares results with predictions or with a publication. It
// also lists contradictions within the publication.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/comparison_tables.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "contract/plan/run_dir.hpp"
#include "forecast/saved_predictions.hpp"
#include "workspace/chosen_study.hpp"
#include "workspace/comparison.hpp"
#include "workspace/findings.hpp"
#include "workspace/reference_reader.hpp"

namespace dlscale::cli {
namespace {

constexpr const char* kList = "list";

struct CompareOptions {
  workspace::StudyChoice own{.folder = ""};
  std::string reference;
  std::string findings;
  std::string calibration;
  std::string format = "text";
  bool unmatched = false;
  bool rules = false;
  bool predicted = false;
};

int list_references() {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : workspace::references_in(workspace::reference_folder())) {
    rows.push_back({name, workspace::read_reference(name, workspace::reference_folder()).title});
  }
  std::cout << base::print_table({"reference", "title"}, rows);
  return kExitOk;
}

int list_rules() {
  std::vector<std::vector<std::string>> rows;
  for (const analysis::ContradictionRule* rule : analysis::contradiction_rules()) {
    rows.push_back({rule->name, rule->summary});
  }
  std::cout << base::print_table({"rule", "finds"}, rows);
  return kExitOk;
}

int tell_nothing(const CompareOptions& options, const workspace::Compared& compared) {
  fmt::print(stderr, "dlscale: {}\n", compared.nothing);
  return options.own.runs.allow_empty ? kExitOk : kExitNothingMatched;
}

/// Prints the report in the requested format. In the text format, contradictions in the publication
/// are paragraphs and not a table.
void print(const CompareOptions& options, const analysis::ReferenceStudy& study,
           analysis::Report report) {
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const auto found = analysis::find_contradictions(study.publication);
  if (std::string_view(writer.name) == "text") {
    std::cout << writer.render(report) << "\n" << contradiction_text(study, found);
    return;
  }
  workspace::add_contradictions(report, study, found);
  std::cout << writer.render(report);
}

int compare_runs(const CompareOptions& options, const analysis::ReferenceStudy& study) {
  forecast::NamedCalibration calibration;
  workspace::ComparisonChoice choice{.predicted = options.predicted,
                                     .unmatched = options.unmatched};
  if (!options.calibration.empty()) {
    calibration = forecast::read_calibration(options.calibration);
    choice.calibration = &calibration.measured->calibration();
  }
  workspace::Compared compared = workspace::compare_with_publication(options.own, study, choice);
  if (!compared.report.tables.empty()) print(options, study, std::move(compared.report));
  return compared.nothing.empty() ? kExitOk : tell_nothing(options, compared);
}

/// Prints saved predictions next to the measured values.
int compare_predicted(const CompareOptions& options) {
  if (options.own.folder.empty()) {
    throw base::UsageError("--predicted: name the plan folder: dlscale compare DIR --predicted");
  }
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const workspace::Compared compared = workspace::compare_with_predictions(options.own);
  if (!compared.nothing.empty()) return tell_nothing(options, compared);
  std::cout << writer.render(compared.report);
  return kExitOk;
}

/// Prints which findings of a publication hold for the runs of the folder.
int compare_findings(const CompareOptions& options) {
  if (options.own.folder.empty()) {
    throw base::UsageError("--findings: name the plan folder: dlscale compare DIR --findings FILE");
  }
  if (options.own.sources.size() > 1) {
    throw base::UsageError("--findings: tests the runs of one plan folder; give one folder");
  }
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const auto [study, findings] = workspace::test_findings(options.findings, options.own);
  const bool is_text = std::string_view(writer.name) == "text";
  std::cout << (is_text ? findings_text(study, findings)
                        : writer.render({{findings_table(study, findings)}}));
  return kExitOk;
}

/// Returns the reference on the command line, else the one that the study of the folder names.
std::string reference_of(const CompareOptions& options) {
  if (!options.reference.empty() || options.own.folder.empty()) return options.reference;
  return workspace::reference_of_study(contract::PlanDir{options.own.folder});
}

void warn_of_outdated_results(const CompareOptions& options) {
  std::vector<std::filesystem::path> folders;
  for (const workspace::SourceFolder& source : options.own.sources) {
    folders.push_back(source.folder);
  }
  if (folders.empty() && !options.own.folder.empty()) folders.emplace_back(options.own.folder);
  for (const std::filesystem::path& path : folders) {
    const contract::PlanDir folder{path};
    if (!std::filesystem::exists(folder.database())) continue;
    const std::string outdated = workspace::outdated_results(folder);
    if (!outdated.empty()) fmt::print(stderr, "warning: {}\n", outdated);
  }
}

int compare(const CompareOptions& options) {
  if (options.rules) return list_rules();
  warn_of_outdated_results(options);
  if (!options.findings.empty()) return compare_findings(options);
  if (options.predicted && options.reference.empty()) return compare_predicted(options);
  const std::string reference = reference_of(options);
  if (reference.empty()) {
    throw base::UsageError(
        "--reference is missing: give the name of a reference (--reference list prints them) or a "
        "file, or use --predicted");
  }
  if (reference == kList) return list_references();
  analysis::find_report_writer(options.format);
  const analysis::ReferenceStudy study =
      workspace::read_reference(reference, workspace::reference_folder());
  if (!options.own.folder.empty()) return compare_runs(options, study);
  if (!options.calibration.empty()) {
    throw base::UsageError(
        "--calibration: name the plan folder: dlscale compare DIR --reference NAME --calibration "
        "FILE");
  }
  print(options, study, {{publication_table(study)}});
  return kExitOk;
}

Action define_compare(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  add_folder_argument(app, options->own.folder,
                      "collected plan folder (default: check only the publication)");
  app.add_option("DIR|RUN", options->own.arguments,
                 "further collected plan folders, whose results are compared together, or run ids "
                 "and globs like those of --run")
      ->type_name(value_kind::kFoldersAndRuns);
  app.add_option("--reference", options->reference,
                 "published study: a name or a file (*.toml, *.csv). The word list prints all "
                 "names (default: the key reference in [study] of the folder's study)")
      ->type_name(value_kind::kFile);
  app.add_option("--format", options->format, "output format")
      ->type_name(one_of(base::names(analysis::report_writers())))
      ->capture_default_str();
  app.add_option("--findings", options->findings,
                 "test which findings of a publication hold for the runs of the folder (*.toml)")
      ->type_name(value_kind::kFile);
  app.add_flag("--predicted", options->predicted,
               "compare the runs of the folder with their predictions (dlscale predict --keep). "
               "With --reference: also compare the predictions with the publication");
  app.add_option("--calibration", options->calibration,
                 "file from dlscale calibrate, for published values about kernels, all-reduces and "
                 "links")
      ->type_name(value_kind::kFile);
  app.add_flag("--unmatched", options->unmatched,
               "also list published values without a result of your own, with the reasons");
  app.add_flag("--rules", options->rules, "list the rules that detect contradictions");
  add_selection_options(app, options->own.runs, RunArguments::none);
  return [options] {
    if (!options->own.folder.empty()) workspace::find_sources(options->own);
    return compare(*options);
  };
}

}  // namespace

extern const CommandEntry compare_entry;
const CommandEntry compare_entry{"compare",
                                 "Compare your results with published results or with predictions",
                                 "dlscale compare --reference juwels\n"
                                 "  dlscale compare demo --predicted\n"
                                 "  dlscale compare study published --reference nef --predicted\n"
                                 "  dlscale compare demo --reference nef --format markdown",
                                 &define_compare};

}  // namespace dlscale::cli
