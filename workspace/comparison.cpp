// SPDX-License-Identifier: Apache-2.0
#include "workspace/comparison.hpp"

#include <fmt/format.h>

#include "analysis/publications/comparison_tables.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::workspace {

Compared compare_with_publication(const StudyChoice& own, const analysis::ReferenceStudy& study,
                                  bool unmatched) {
  const analysis::Frame frame = open_study(own).frame;
  const auto curves = analysis::scaling_curves(frame);
  const auto points = analysis::own_points(curves);
  const analysis::Comparison comparison = analysis::compare(study.publication, points);
  if (comparison.matches.empty()) {
    return {{},
            fmt::format("{} has no published value for any of the {} points of {}", study.name,
                        points.size(), frame.study)};
  }
  analysis::Report report{{comparison_table(study, comparison)}};
  if (unmatched && !comparison.unmatched.empty()) {
    report.tables.push_back(unmatched_table(study, comparison));
  }
  if (!comparison.unmatched.empty() && !unmatched) {
    report.tables[0].notes.push_back(fmt::format(
        "{} published values have no matching result in this study; --unmatched lists them",
        comparison.unmatched.size()));
  }
  return {report, ""};
}

Compared compare_with_predictions(const StudyChoice& own) {
  const auto [frame, options] = open_study(own);
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
