// SPDX-License-Identifier: Apache-2.0
// `dlscale analyze`: one metric of a collected study as a table, or the answer to a query.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/query/query_text.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "analysis/report/tables/query_table.hpp"
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
  std::vector<std::string> by;
  std::string query;  ///< instead of a metric; empty: none
  std::string format = "text";
};

analysis::Report answer_to(const std::string& text, const workspace::ChosenStudy& study) {
  const std::vector<analysis::RunColumn> columns = run_columns(study.frame);
  analysis::Query query = analysis::parse_query(text, columns, study.frame);
  query.allow_mixed = study.options.allow_mixed;
  return {{query_table(study.frame, columns, query, text)}};
}

bool is_empty(const analysis::Report& report) {
  return std::all_of(report.tables.begin(), report.tables.end(),
                     [](const analysis::Table& table) { return table.rows.empty(); });
}

/// Why there is no row: what the runs lack.
std::string complaint_of(const AnalyzeOptions& options, const analysis::Metric& metric,
                         const workspace::ChosenStudy& study) {
  if (!options.query.empty()) return "no run is as the query's condition asks";
  return why_nothing(metric, study.frame, study.options);
}

int analyze(const AnalyzeOptions& options) {
  const analysis::Metric& metric = analysis::find_metric(options.metric);
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const workspace::ChosenStudy study = workspace::open_study(options.study);
  const analysis::Report report = options.query.empty()
                                      ? make_report(metric, study.frame, study.options, options.by)
                                      : answer_to(options.query, study);
  if (is_empty(report)) {
    fmt::print(stderr, "dlscale: nothing to show: {}; {}\n", complaint_of(options, metric, study),
               describe_use(study.frame));
    return options.study.runs.allow_empty ? kExitOk : kExitNothingMatched;
  }
  std::cout << writer.render(report);
  return kExitOk;
}

std::string function_names() {
  std::string names;
  for (const auto& function : analysis::aggregate_functions()) {
    names += (names.empty() ? "" : ", ") + std::string(function.name);
  }
  return names;
}

/// An empty one, such as that of an unset shell variable, must not mean the default metric.
std::string complaint_of_query(const std::string& text) {
  return text.find_first_not_of(" \t\n") == std::string::npos ? "the query is empty" : "";
}

Action define_analyze(CLI::App& app) {
  const auto options = std::make_shared<AnalyzeOptions>();
  std::string known;
  std::vector<std::string> names;
  for (const analysis::Metric& metric : analysis::metrics()) {
    known += fmt::format("\n  {}: {}", metric.name, metric.summary);
    names.emplace_back(metric.name);
  }
  CLI::Option* metric = app.add_option("--metric", options->metric, "what to show:" + known)
                            ->type_name(one_of(names))
                            ->capture_default_str();
  CLI::Option* by =
      app.add_option("--by", options->by,
                     "axes that tell the rows of a table apart; one table for each combination of "
                     "the others")
          ->delimiter(',')
          ->allow_extra_args(false);
  app.add_option("--query", options->query,
                 "ask the runs yourself: FUNCTION(COLUMN), ... [by COLUMN, ...] [where CONDITION] "
                 "[sort by COLUMN [desc]] [limit N]; functions: " +
                     function_names())
      ->type_name("QUERY")
      ->check(&complaint_of_query)
      ->excludes(metric)
      ->excludes(by);
  app.add_option("--format", options->format, "how to write it")
      ->type_name(one_of({"text", "markdown", "csv", "latex", "json"}))
      ->capture_default_str();
  add_study_options(app, options->study);
  return [options] { return analyze(*options); };
}

}  // namespace

extern const CommandEntry analyze_entry;
const CommandEntry analyze_entry{
    "analyze", "Show a metric of a collected study as a table",
    "dlscale analyze demo --metric efficiency --baseline gpus=1 --format latex\n"
    "  dlscale analyze demo --query 'median(samples_per_s), count() by framework, gpus'",
    &define_analyze};

}  // namespace dlscale::cli
