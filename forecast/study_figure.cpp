// SPDX-License-Identifier: Apache-2.0
#include "forecast/study_figure.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/report/tables/captions.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "contract/plan/run_dir.hpp"
#include "forecast/prediction_figures.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

// Name of the figure that needs a model card in addition to results.
constexpr const char* kRoofline = "roofline";

MadeFigure rates(const FigureChoice& choice) {
  if (!choice.study.baseline.empty() || choice.study.mixed) {
    throw base::UsageError(
        "--baseline and --mixed apply only to figures of results, not to learning rates");
  }
  return {figure_of_rates({choice.study.folder, choice.overrides, choice.study.runs}),
          "no run of the study has known epochs and a known learning rate"};
}

MadeFigure results(const FigureChoice& choice) {
  if (!choice.overrides.empty()) {
    throw base::UsageError("-S changes a study file, which only plot lr reads");
  }
  workspace::ChosenStudy study = workspace::open_study(choice.study);
  if (choice.kind == kRoofline) {
    const contract::PlanDir folder{fs::path(choice.study.folder)};
    analysis::Figure figure = figure_of_roofline(study, choice.roofline, folder);
    std::string why = analysis::describe_use(study.frame);
    if (figure.notes.back().starts_with("omitted")) why = figure.notes.back() + "; " + why;
    return {std::move(figure), std::move(why)};
  }
  const analysis::FigureKind& kind = analysis::find_figure_kind(choice.kind);
  study.options.laws = choice.laws;
  return {kind.make(study.frame, study.options), analysis::describe_use(study.frame)};
}

}  // namespace

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const analysis::FigureKind& kind : analysis::figure_kinds()) names.emplace_back(kind.name);
  names.emplace_back(kRoofline);
  names.emplace_back(kRates);
  return names;
}

void check_choice(const FigureChoice& choice) {
  const std::vector<std::string> names = figure_names();
  if (std::find(names.begin(), names.end(), choice.kind) == names.end()) {
    throw base::UsageError(base::unknown_name("figure", choice.kind, names));
  }
  if (choice.laws && choice.kind != "speedup" && choice.kind != "efficiency") {
    throw base::UsageError("--laws applies only to figures of speedup and efficiency");
  }
  if (choice.roofline.any() && choice.kind != kRoofline) {
    throw base::UsageError("--card, --peak and --memory-bandwidth apply only to plot roofline");
  }
}

MadeFigure make_figure(const FigureChoice& choice) {
  check_choice(choice);
  return choice.kind == kRates ? rates(choice) : results(choice);
}

}  // namespace dlscale::forecast
