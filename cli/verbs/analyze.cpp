// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale analyze`, which prints one metric of a collected study as a table.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/answer/study_answer.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "cli/command.hpp"
#include "cli/options/chosen_study_options.hpp"
#include "cli/options/completer.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::cli {
namespace {

struct AnalyzeOptions {
  workspace::StudyChoice study;
  std::string metric = "efficiency";
  bool names_metric = false;  ///< true if the command line contains --metric
  std::vector<std::string> by;
  std::string pivot;
  std::string format = "text";
};

bool is_empty(const analysis::Report& report) {
  return std::all_of(report.tables.begin(), report.tables.end(),
                     [](const analysis::Table& table) { return table.rows.empty(); });
}

int analyze(const AnalyzeOptions& options) {
  const analysis::Metric& metric = analysis::find_metric(options.metric);
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const workspace::ChosenStudy study = workspace::open_study(options.study);
  if (!study.outdated.empty()) fmt::print(stderr, "warning: {}\n", study.outdated);
  const analysis::Report report =
      make_report(metric, study.frame, study.options, options.by, options.pivot);
  if (is_empty(report)) {
    fmt::print(stderr, "dlscale: nothing to show: {}; {}\n",
               why_nothing(metric, study.frame, study.options), describe_use(study.frame));
    if (!study.nothing_read.empty()) fmt::print(stderr, "dlscale: {}\n", study.nothing_read);
    return options.study.runs.allow_empty ? kExitOk : kExitNothingMatched;
  }
  // Programs read the other formats, which therefore contain only the table.
  if (!options.names_metric && options.format == "text") {
    std::cout << answer_text(answer_study(study.frame, study.options)) << "\n";
  }
  std::cout << writer.render(report);
  return kExitOk;
}

Action define_analyze(CLI::App& app) {
  const auto options = std::make_shared<AnalyzeOptions>();
  std::string known;
  std::vector<std::string> names;
  for (const analysis::Metric& metric : analysis::metrics()) {
    known += fmt::format("\n  {}: {}", metric.name, metric.summary);
    names.emplace_back(metric.name);
  }
  app.add_option("--metric", options->metric,
                 "metric to show. Without this option, text output begins with the answers to the "
                 "questions of the study. Metrics:" +
                     known)
      ->type_name(one_of(names))
      ->capture_default_str()
      ->each([options](const std::string&) { options->names_metric = true; });
  app.add_option(
         "--by", options->by,
         "axes for the rows of a table. Every combination of the other axes has its own table")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--pivot", options->pivot,
                 "axis whose values stand side by side as groups of columns, for example loader");
  app.add_option("--format", options->format, "output format")
      ->type_name(one_of({"text", "markdown", "csv", "latex", "json"}))
      ->capture_default_str();
  add_study_options(app, options->study);
  add_efficiency_option(app, options->study.min_efficiency);
  return [options] {
    workspace::find_sources(options->study);
    return analyze(*options);
  };
}

}  // namespace

extern const CommandEntry analyze_entry;
const CommandEntry analyze_entry{
    "analyze", "Show a metric of a collected study as a table",
    "dlscale analyze demo --metric efficiency --baseline gpus=1 --format latex", &define_analyze};

}  // namespace dlscale::cli
