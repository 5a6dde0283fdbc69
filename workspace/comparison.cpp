// SPDX-License-Identifier: Apache-2.0
#include "workspace/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "analysis/publications/comparison_tables.hpp"
#include "analysis/report/tables/tables.hpp"
#include "workspace/reference_reader.hpp"

namespace dlscale::workspace {

namespace {

/// Compares the runs of several plan folders. The name of the runs is `name`.
Compared compare_frames(const std::vector<const analysis::Frame*>& frames, const std::string& name,
                        const analysis::ReferenceStudy& study, const ComparisonChoice& choice) {
  std::vector<std::vector<analysis::ScalingCurve>> curves;
  curves.reserve(frames.size());  // points refer to the curves
  analysis::OwnResults results;
  results.measured_first = frames.size() > 1;
  results.models.calibration = choice.calibration;
  if (choice.predicted) results.models.frames = frames;
  std::size_t known = 0;
  for (const analysis::Frame* frame : frames) {
    const auto add = [&](std::vector<analysis::OwnPoint> points) {
      for (analysis::OwnPoint& point : points) {
        point.folder = static_cast<int>(curves.size());
        results.points.push_back(std::move(point));
      }
      return points.size();
    };
    curves.push_back(analysis::scaling_curves(*frame));
    known += add(analysis::own_points(curves.back()));
    if (choice.predicted) add(analysis::predicted_points(*frame));
    known += add(analysis::planned_points(*frame));
  }
  const analysis::Comparison comparison = analysis::compare(study.publication, results);
  Compared compared;
  if (comparison.matches.empty()) {
    compared.nothing =
        fmt::format("{} has no published value for any of the {} points of {}{}", study.name, known,
                    name, choice.unmatched ? "" : "; --unmatched prints the reasons");
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

}  // namespace

Compared compare_with_publication(const StudyChoice& own, const analysis::ReferenceStudy& study,
                                  const ComparisonChoice& choice) {
  if (own.sources.empty()) return compare_with_publication(open_study(own).frame, study, choice);
  std::vector<analysis::Frame> read;
  std::vector<std::string> names;
  for (const SourceFolder& source : own.sources) {
    StudyChoice one = own;
    one.folder = source.folder.string();
    one.sources.clear();
    one.runs.allow_empty = true;
    read.push_back(open_study(one).frame);
    names.push_back(source.name);
  }
  std::vector<const analysis::Frame*> frames;
  for (const analysis::Frame& frame : read) frames.push_back(&frame);
  return compare_frames(frames, fmt::format("{}", fmt::join(names, " and ")), study, choice);
}

Compared compare_with_publication(const analysis::Frame& frame,
                                  const analysis::ReferenceStudy& study,
                                  const ComparisonChoice& choice) {
  return compare_frames({&frame}, frame.study, study, choice);
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
