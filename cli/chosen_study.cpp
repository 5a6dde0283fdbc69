// SPDX-License-Identifier: Apache-2.0
#include "cli/chosen_study.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "analysis/scaling/baseline.hpp"
#include "analysis/store/frame_reader.hpp"

namespace dlscale::cli {

void add_study_options(CLI::App& app, StudyChoice& choice) {
  app.add_option("DIR", choice.folder, "plan folder, collected (default: the current one)");
  app.add_option("--baseline", choice.baseline,
                 "gpus=N, smallest-common or per-curve (default: the study's)");
  app.add_flag("--mixed", choice.mixed, "compare runs of different devices or software, too");
}

ChosenStudy open_study(const StudyChoice& choice) {
  const bool own_baseline = !choice.baseline.empty();
  ChosenStudy study;
  study.options.allow_mixed = choice.mixed;
  if (own_baseline) study.options.baseline = analysis::parse_baseline(choice.baseline);
  study.frame = analysis::read_frame(contract::PlanDir(std::filesystem::path(choice.folder)));
  if (own_baseline) {
    require_baseline(
        choose_baselines(scaling_curves(study.frame), study.options.baseline, choice.mixed));
  } else {
    study.options.baseline = study.frame.baseline;
  }
  return study;
}

}  // namespace dlscale::cli
