// SPDX-License-Identifier: Apache-2.0
#include "workspace/comparison.hpp"

#include <fmt/format.h>

#include <utility>

#include "analysis/publications/comparison_tables.hpp"
#include "analysis/report/tables/tables.hpp"
#include "workspace/reference_reader.hpp"

namespace dlscale::workspace {

Compared compare_with_publication(const StudyChoice& own, const analysis::ReferenceStudy& study,
                                  const ComparisonChoice& choice) {
  return compare_with_publication(open_study(own).frame, study, choice);
}

Compared compare_with_publication(const analysis::Frame& frame,
                                  const analysis::ReferenceStudy& study,
                                  const ComparisonChoice& choice) {
  const auto curves = analysis::scaling_curves(frame);
  analysis::OwnResults results{analysis::own_points(curves), {choice.calibration, nullptr}};
  const auto add = [&](std::vector<analysis::OwnPoint> points) {
    results.points.insert(results.points.end(), points.begin(), points.end());
  };
  add(analysis::planned_points(frame));
  const std::size_t known = results.points.size();
  if (choice.predicted) {
    results.models.frame = &frame;
    add(analysis::predicted_points(frame));
  }
  const analysis::Comparison comparison = analysis::compare(study.publication, results);
  Compared compared;
  if (comparison.matches.empty()) {
    compared.nothing =
        fmt::format("{} has no published value for any of the {} points of {}{}", study.name, known,
                    frame.study, choice.unmatched ? "" : "; --unmatched prints the reasons");
    if (!choice.unmatched) return compared;
  }
  compared.report.tables.push_back(comparison_table(study, comparison));
  if (comparison.unmatched.empty()) return compared;
  if (choice.unmatched) {
    compared.report.tables.push_back(unmatched_table(study, comparison));
  } else {
    compared.report.tables[0].notes.push_back(fmt::format(
        "--unmatched lists the other {} values with the reasons", comparison.unmatched.size()));
  }
  return compared;
}

void add_named_publication(analysis::Report& report, const analysis::Frame& frame,
                           const std::string& folder) {
  const std::string name = reference_of_study(contract::PlanDir{folder});
  if (name.empty()) return;
  Compared compared = compare_with_publication(frame, read_reference(name, reference_folder()),
                                               {.predicted = true, .unmatched = true});
  for (analysis::Table& table : compared.report.tables) {
    if (!table.rows.empty()) report.tables.push_back(std::move(table));
  }
}

Compared compare_with_predictions(const StudyChoice& own) {
  const ChosenStudy study = open_study(own);
  const analysis::Frame& frame = study.frame;
  const analysis::AnalysisOptions& options = study.options;
  analysis::Report report{
      {predictions_table(frame, options), prediction_errors_table(frame, options)}};
  if (!report.tables[0].rows.empty()) return {report, ""};
  return {{},
          frame.predictions.empty()
              ? "no predictions are saved in " + own.folder +
                    "; save them with dlscale predict STUDY --calibration FILE --keep " + own.folder
              : "none of the runs with a saved prediction has been measured and collected yet"};
}

void add_contradictions(analysis::Report& report, const analysis::ReferenceStudy& study,
                        const std::vector<analysis::Contradiction>& found) {
  if (!found.empty()) {
    report.tables.push_back(contradiction_table(study, found));
  } else {
    report.tables[0].notes.push_back(fmt::format("none of the {} rules found a contradiction",
                                                 analysis::contradiction_rules().size()));
  }
}

}  // namespace dlscale::workspace
