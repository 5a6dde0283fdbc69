// SPDX-License-Identifier: Apache-2.0
#include "cli/chosen_study.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "analysis/scaling/baseline.hpp"
#include "analysis/scaling/selected_runs.hpp"
#include "analysis/store/frame_reader.hpp"
#include "cli/plan_folder.hpp"

namespace dlscale::cli {

void add_study_options(CLI::App& app, StudyChoice& choice) {
  add_folder_argument(app, choice.folder, "plan folder, collected (default: the current one)");
  app.add_option("--baseline", choice.baseline,
                 "gpus=N, smallest-common or per-curve (default: the study's)");
  app.add_flag("--mixed", choice.mixed, "compare runs of different devices or software, too");
  add_selection_options(app, choice.runs, RunArguments::positional);
}

ChosenStudy open_study(const StudyChoice& choice) {
  const bool own_baseline = !choice.baseline.empty();
  ChosenStudy study;
  study.options.allow_mixed = choice.mixed;
  if (own_baseline) study.options.baseline = analysis::parse_baseline(choice.baseline);
  const contract::PlanDir folder{std::filesystem::path(choice.folder)};
  study.frame = analysis::read_frame(folder);
  if (!own_baseline) study.options.baseline = study.frame.baseline;
  if (choice.runs.narrows()) {
    analysis::keep_runs(study.frame, select_runs(contract::read_plan(folder), choice.runs),
                        study.options.baseline);
  }
  if (own_baseline) {
    require_baseline(
        choose_baselines(scaling_curves(study.frame), study.options.baseline, choice.mixed));
  }
  return study;
}

}  // namespace dlscale::cli
