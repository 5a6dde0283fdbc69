// SPDX-License-Identifier: Apache-2.0
// `dlscale compare`: own values beside those of a publication, and what contradicts itself there;
// or beside what was predicted of them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/scaling/selected_runs.hpp"
#include "analysis/publications/comparison_tables.hpp"
#include "analysis/report/tables/tables.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "analysis/store/frame_reader.hpp"
#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/plan_folder_options.hpp"
#include "cli/options/selection_options.hpp"
#include "workspace/reference_reader.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace {

constexpr const char* kList = "list";

struct CompareOptions {
  std::string folder;
  std::string reference;
  std::string format = "text";
  bool unmatched = false;
  bool rules = false;
  bool predicted = false;
  workspace::SelectionChoice runs;
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

analysis::Frame read_runs(const CompareOptions& options) {
  const contract::PlanDir folder{std::filesystem::path(options.folder)};
  analysis::Frame frame = analysis::read_frame(folder);
  if (options.runs.narrows()) {
    keep_runs(frame, workspace::select_runs(contract::read_plan(folder), options.runs),
              frame.baseline);
  }
  return frame;
}

/// Tables in any format; contradictions are sentences, which a terminal wants as paragraphs.
void print(const CompareOptions& options, const analysis::ReferenceStudy& study,
           analysis::Report report) {
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const auto found = analysis::find_contradictions(study.publication);
  if (std::string_view(writer.name) == "text") {
    std::cout << writer.render(report) << "\n" << contradiction_text(study, found);
    return;
  }
  if (!found.empty()) {
    report.tables.push_back(contradiction_table(study, found));
  } else {
    report.tables[0].notes.push_back(fmt::format("none of {} rules finds a contradiction",
                                                 analysis::contradiction_rules().size()));
  }
  std::cout << writer.render(report);
}

int compare_runs(const CompareOptions& options, const analysis::ReferenceStudy& study) {
  const analysis::Frame frame = read_runs(options);
  const auto curves = analysis::scaling_curves(frame);
  const auto points = analysis::own_points(curves);
  const analysis::Comparison comparison = analysis::compare(study.publication, points);
  if (comparison.matches.empty()) {
    fmt::print(stderr, "dlscale: no published value of {} is about one of the {} points of {}\n",
               study.name, points.size(), frame.study);
    return options.runs.allow_empty ? kExitOk : kExitNothingMatched;
  }
  analysis::Report report{{comparison_table(study, comparison)}};
  if (options.unmatched && !comparison.unmatched.empty()) {
    report.tables.push_back(unmatched_table(study, comparison));
  }
  if (!comparison.unmatched.empty() && !options.unmatched) {
    report.tables[0].notes.push_back(
        fmt::format("{} published values have no own counterpart; --unmatched lists them",
                    comparison.unmatched.size()));
  }
  print(options, study, std::move(report));
  return kExitOk;
}

/// Kept predictions beside what was measured.
int compare_predicted(const CompareOptions& options) {
  if (options.folder.empty()) {
    throw base::UsageError("--predicted: which plan folder? dlscale compare DIR --predicted");
  }
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const analysis::Frame frame = read_runs(options);
  const analysis::AnalysisOptions analysis{.baseline = frame.baseline};
  const analysis::Report report{
      {predictions_table(frame, analysis), prediction_errors_table(frame, analysis)}};
  if (report.tables[0].rows.empty()) {
    fmt::print(stderr, "dlscale: {}\n",
               frame.predictions.empty()
                   ? "no prediction is kept in " + options.folder +
                         ": dlscale predict STUDY --calibration FILE --keep " + options.folder
                   : "no run of which a prediction is kept has been measured and collected yet");
    return options.runs.allow_empty ? kExitOk : kExitNothingMatched;
  }
  std::cout << writer.render(report);
  return kExitOk;
}

int compare(const CompareOptions& options) {
  if (options.rules) return list_rules();
  if (options.predicted) return compare_predicted(options);
  if (options.reference.empty()) {
    throw base::UsageError(
        "--reference is missing: a name that --reference list shows, or a file; or --predicted");
  }
  if (options.reference == kList) return list_references();
  analysis::find_report_writer(options.format);
  const analysis::ReferenceStudy study =
      workspace::read_reference(options.reference, workspace::reference_folder());
  if (!options.folder.empty()) return compare_runs(options, study);
  print(options, study, {{publication_table(study)}});
  return kExitOk;
}

Action define_compare(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  add_folder_argument(app, options->folder,
                      "plan folder, collected (default: the publication alone is checked)");
  app.add_option("--reference", options->reference,
                 "a published study: a name, a file (*.toml, *.csv), or list")
      ->type_name(value_kind::kFile);
  app.add_option("--format", options->format, "how to write it")
      ->type_name(one_of(base::names(analysis::report_writers())))
      ->capture_default_str();
  app.add_flag("--predicted", options->predicted,
               "set the folder's runs beside what was predicted of them (dlscale predict --keep), "
               "and say how wrong that was");
  app.add_flag("--unmatched", options->unmatched, "also list published values without own ones");
  app.add_flag("--rules", options->rules, "list the rules that find contradictions");
  add_selection_options(app, options->runs, RunArguments::none);
  return [options] { return compare(*options); };
}

}  // namespace

extern const CommandEntry compare_entry;
const CommandEntry compare_entry{"compare",
                                 "Set own results beside published ones or predictions of them",
                                 "dlscale compare --reference juwels\n"
                                 "  dlscale compare demo --predicted\n"
                                 "  dlscale compare demo --reference nef --format markdown",
                                 &define_compare};

}  // namespace dlscale::cli
